/* The program as one process. */
#include "cli/commands.h"

int main(int argc, char **argv) {
  return dcs_main(argc, argv, dcs_alone());
}
