/* Which unit an instruction takes, by its name. */
#include "harness/explain/instructions.h"

#include <stddef.h>
#include <string.h>

const char *const dcs_pipe_names[DCS_N_PIPES] = {
    "fp32",         "sfu",           "integer",      "imad",          "convert",
    "uniform",      "tensor",        "other",        "load_constant", "load_global",
    "store_global", "load_shared",   "store_shared", "load_local",    "store_local",
    "load_generic", "store_generic", "atomic",       "barrier",       "branch"};

typedef struct {
  dcs_pipe pipe;
  const char *names; /* the first part of an instruction's name, with a space before and behind */
} unit;

/* What is in no list is OTHER, or UNIFORM where it begins with U. */
static const unit machine_units[] = {
    {DCS_PIPE_FP32, " FADD FMUL FFMA FADD32I FMUL32I FFMA32I FADD2 FMUL2 FFMA2 "},
    {DCS_PIPE_SFU, " MUFU "},
    {DCS_PIPE_INTEGER,
     " IADD IADD3 IADD32I IABS VIADD VIADDMNMX VIMNMX VIMNMX3 IMNMX ISETP ISET ICMP ISCADD LOP "
     "LOP3 "
     "LOP32I PLOP3 PSETP SHF SHL SHR LEA BMSK SGXT PRMT SEL MOV MOV32I CS2R P2R R2P FMNMX FMNMX3 "
     "FSETP FSET FSEL FCHK "},
    {DCS_PIPE_IMAD, " IMAD IMUL IDP IDP4A "},
    {DCS_PIPE_CONVERT, " I2F I2FP F2I F2F F2FP F2IP I2I FRND POPC FLO BREV "},
    {DCS_PIPE_UNIFORM, " R2UR "},
    {DCS_PIPE_TENSOR, " HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA "},
    {DCS_PIPE_LOAD_CONSTANT, " LDC LDCU ULDC "},
    {DCS_PIPE_LOAD_GLOBAL, " LDG LDGSTS "},
    {DCS_PIPE_STORE_GLOBAL, " STG "},
    {DCS_PIPE_LOAD_SHARED, " LDS LDSM "},
    {DCS_PIPE_STORE_SHARED, " STS STSM "},
    {DCS_PIPE_LOAD_LOCAL, " LDL "},
    {DCS_PIPE_STORE_LOCAL, " STL "},
    {DCS_PIPE_LOAD_GENERIC, " LD "},
    {DCS_PIPE_STORE_GENERIC, " ST "},
    {DCS_PIPE_ATOMIC, " ATOM ATOMG ATOMS RED REDG REDAS "},
    {DCS_PIPE_BARRIER, " BAR MEMBAR FENCE WARPSYNC DEPBAR LDGDEPBAR ERRBAR CCTL NANOSLEEP SYNCS "},
    {DCS_PIPE_BRANCH,
     " BRA BRX BRXU JMP JMX JMXU CALL RET EXIT BSSY BSYNC BREAK BMOV YIELD KILL BPT "},
};

static const unit ptx_units[] = {
    {DCS_PIPE_INTEGER, " add sub neg abs min max mov set setp selp slct and or xor not cnot lop3 "
                       "shl shr shf prmt bfe "
                       "bfi bfind bmsk szext cvta isspacep testp copysign "},
    {DCS_PIPE_IMAD, " mul mad mul24 mad24 dp4a dp2a "},
    {DCS_PIPE_CONVERT, " cvt popc clz brev "},
    {DCS_PIPE_TENSOR, " mma wmma wgmma "},
    {DCS_PIPE_BARRIER, " bar barrier membar fence nanosleep "},
    {DCS_PIPE_BRANCH, " bra brx call ret exit trap brkpt "},
    {DCS_PIPE_ATOMIC, " atom red "},
};

/* Whether the list has the first `length` characters of a name as a word. */
static bool lists(const char *names, const char *name, size_t length) {
  for (const char *at = names + 1; *at; at += strcspn(at, " ") + 1)
    if (strncmp(at, name, length) == 0 && at[length] == ' ') return true;
  return false;
}

static dcs_pipe find(const unit *units, size_t n, const char *name) {
  const size_t length = strcspn(name, ".");
  for (size_t u = 0; u < n; u++)
    if (lists(units[u].names, name, length)) return units[u].pipe;
  return DCS_PIPE_OTHER;
}

/* Whether one of the parts of a name, which dots are between, is that. */
static bool has(const char *name, const char *part) {
  const size_t length = strlen(part);
  for (const char *at = name; (at = strstr(at, part)) != NULL; at += length)
    if (at > name && at[-1] == '.' && (!at[length] || at[length] == '.')) return true;
  return false;
}

static bool begins(const char *name, const char *with) {
  return strncmp(name, with, strlen(with)) == 0;
}

/* ---- SASS ---- */

static dcs_pipe machine_pipe(const char *name, int *operations) {
  const dcs_pipe pipe = find(machine_units, sizeof machine_units / sizeof machine_units[0], name);
  if (pipe == DCS_PIPE_OTHER && *name == 'U') return DCS_PIPE_UNIFORM;
  const bool pair = begins(name, "FADD2") || begins(name, "FMUL2") || begins(name, "FFMA2");
  if (pipe == DCS_PIPE_FP32) *operations = (begins(name, "FFMA") ? 2 : 1) * (pair ? 2 : 1);
  return pipe;
}

/* ---- PTX ---- */

static dcs_pipe memory_pipe(const char *name) {
  static const struct {
    const char *space;
    dcs_pipe load, store;
  } spaces[] = {{"const", DCS_PIPE_LOAD_CONSTANT, DCS_PIPE_OTHER},
                {"param", DCS_PIPE_LOAD_CONSTANT, DCS_PIPE_OTHER},
                {"global", DCS_PIPE_LOAD_GLOBAL, DCS_PIPE_STORE_GLOBAL},
                {"shared", DCS_PIPE_LOAD_SHARED, DCS_PIPE_STORE_SHARED},
                {"local", DCS_PIPE_LOAD_LOCAL, DCS_PIPE_STORE_LOCAL}};
  const bool load = name[0] == 'l';
  for (size_t s = 0; s < sizeof spaces / sizeof spaces[0]; s++)
    if (has(name, spaces[s].space)) return load ? spaces[s].load : spaces[s].store;
  return load ? DCS_PIPE_LOAD_GENERIC : DCS_PIPE_STORE_GENERIC;
}

static dcs_pipe ptx_pipe(const char *name, int *operations) {
  static const char arithmetic[] = " add sub mul mad fma ";
  if (begins(name, "ld.") || begins(name, "ldu.") || begins(name, "st.")) return memory_pipe(name);
  const bool pair = has(name, "f32x2");
  if ((pair || has(name, "f32")) && lists(arithmetic, name, strcspn(name, "."))) {
    *operations = (begins(name, "fma") || begins(name, "mad") ? 2 : 1) * (pair ? 2 : 1);
    return DCS_PIPE_FP32;
  }
  if (has(name, "approx")) return DCS_PIPE_SFU;
  const dcs_pipe pipe = find(ptx_units, sizeof ptx_units / sizeof ptx_units[0], name);
  const bool wide = has(name, "f64") || has(name, "f16") || has(name, "f16x2");
  const bool number = lists(arithmetic, name, strcspn(name, "."));
  return wide && number ? DCS_PIPE_OTHER : pipe;
}

dcs_pipe dcs_pipe_of(const char *name, bool machine, int *operations) {
  *operations = 0;
  return machine ? machine_pipe(name, operations) : ptx_pipe(name, operations);
}

int dcs_loaded_bytes(const char *name, bool machine) {
  static const struct {
    const char *part;
    int bytes;
  } widths[2][8] = {
      {{"b64", 8}, {"f64", 8}, {"u64", 8}, {"s64", 8}, {"u16", 2}, {"u8", 1}, {"s8", 1}},
      {{"128", 16}, {"64", 8}, {"U16", 2}, {"S16", 2}, {"U8", 1}, {"S8", 1}}};
  int bytes = 4;
  for (int w = 0; w < 8 && widths[machine][w].part; w++)
    if (has(name, widths[machine][w].part)) bytes = widths[machine][w].bytes;
  return bytes * (has(name, "v4") ? 4 : has(name, "v2") ? 2 : 1);
}
