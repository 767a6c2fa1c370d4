/* An expression as a tree. Internal to the parser and the evaluator. */
#ifndef DCS_EXPRESSION_TREE_H
#define DCS_EXPRESSION_TREE_H

#include "harness/spec/expression.h"

typedef enum {
  DCS_NODE_VALUE,
  DCS_NODE_NAME, /* place: of its value */
  DCS_NODE_LIST,
  DCS_NODE_FOR,  /* element, list, perhaps condition; place: of the loop's value */
  DCS_NODE_CALL, /* how: index of the function */
  DCS_NODE_NEGATE,
  DCS_NODE_PLUS,
  DCS_NODE_INVERT,
  DCS_NODE_NOT,
  DCS_NODE_AND,
  DCS_NODE_OR,
  DCS_NODE_IF, /* condition, value, else */
  DCS_NODE_BINARY,
  DCS_NODE_COMPARE, /* a value, then all that it is compared with in a chain */
  DCS_NODE_COMPARED /* with this child, as `how` says */
} dcs_node_type;

typedef enum {
  DCS_DO_BIT_OR,
  DCS_DO_BIT_XOR,
  DCS_DO_BIT_AND,
  DCS_DO_SHIFT_LEFT,
  DCS_DO_SHIFT_RIGHT,
  DCS_DO_ADD,
  DCS_DO_SUBTRACT,
  DCS_DO_MULTIPLY,
  DCS_DO_DIVIDE,
  DCS_DO_FLOOR_DIVIDE,
  DCS_DO_MODULO,
  DCS_DO_POWER,
  DCS_DO_LESS,
  DCS_DO_LESS_OR_EQUAL,
  DCS_DO_GREATER,
  DCS_DO_GREATER_OR_EQUAL,
  DCS_DO_EQUAL,
  DCS_DO_DIFFER,
  DCS_DO_IN,
  DCS_DO_NOT_IN
} dcs_operation;

/* Children are a chain; -1 ends it. */
typedef struct {
  dcs_node_type type;
  int how; /* dcs_operation, or index of the function */
  int column, place, first, next;
  dcs_value value;
} dcs_node;

enum { DCS_MOST_LOOPS = 4, DCS_MOST_NAMES = 64 };

struct dcs_expression {
  dcs_room room; /* texts */
  dcs_node *nodes;
  int n, root, n_names;
};

/* Index of the function, by its name; -1: there is none. least and most: its arguments. */
int dcs_find_function(const char *name, int *least, int *most);

#endif
