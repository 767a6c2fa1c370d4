#include "kernels/claims.h"

#define DCS_CLAIMS(kind) extern const dcs_kind_claims dcs_claims_##kind;
#include "kernels/claims.def"

const dcs_kind_claims *const dcs_claims_of_kinds[] = {
#define DCS_CLAIMS(kind) &dcs_claims_##kind,
#include "kernels/claims.def"
    NULL};
