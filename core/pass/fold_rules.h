/*
 * fold_rules.h - inside of the fold pass: parsed rules, matching, replacements.
 */
#ifndef THUNDER_FOLD_RULES_H
#define THUNDER_FOLD_RULES_H

#include "alias.h"
#include "rewrite.h"

enum { /* conditions of a rule */
       FOR_any = 0,
       FOR_int = 1,
       FOR_bool = 2,
       FOR_float = 4,
       FOR_real = 8,
       FOR_signed = 16,
       FAST = 32,
};

typedef enum TermKind { TERM_variable, TERM_number, TERM_bool, TERM_call } TermKind;

/* A pattern or replacement. */
typedef struct Term {
    TermKind kind;
    uint32_t variable; /* 0 = a ... 25 = z */
    double number;     /* of bools too */
    const Op *op;
    uint32_t n;
    const struct Term *kids;
} Term;

/* What a node is replaced by: a value that is there already, or one call of a prim. */
typedef struct Replacement {
    Arg value;
    const Op *op; /* NULL = value */
    Arg args[MAX_PARAMS];
} Replacement;

typedef struct Fold Fold;
/* Whether the rule applies to a leaf node of the trace being made; fills the replacement. */
typedef bool FoldFn(Fold *f, const Node *leaf, Replacement *r);

typedef struct FoldRule {
    const char *text; /* "x * 1 -> x" */
    uint32_t conditions;
    Term pattern, replacement; /* of a RULE */
    FoldFn *fn;                /* of a CODE */
    int next;                  /* next rule of the same prim, -1 = none */
} FoldRule;

struct Fold {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    Arena scratch;
    FoldRule *rules;
    uint32_t nrules;
    int *first;      /* by prim: its first rule, -1 = none */
    NodeId *made_by; /* by value: top-level node of t, NO_NODE = an input */
    ValueId *map;
    Alias alias;
    bool has_writes, fast;
    bool early_writes; /* writes that are not the last thing the trace does: left in place */
    Joins joins;
};

/* Parses fold.def into f->rules, by prim. A rule that does not parse is our bug. */
void fold_rules(Fold *f);
/* Whether rule r applies to leaf. */
bool fold_matches(Fold *f, const FoldRule *r, const Node *leaf, Replacement *out);
/* The leaf prim that makes value a, if it is of kind id; NULL otherwise. */
const Node *made_by_prim(const Fold *f, Arg a, uint32_t id);

#endif
