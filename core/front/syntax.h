/*
 * syntax.h - tokens and syntax trees of program text; private to core/front.
 *
 * Text -> lex.c -> tokens -> parse*.c -> the trees below -> acquire*.c -> a Trace. Trees keep byte
 * offsets, never copies of text, and lie in the arena of the FrontFile. Identifiers are numbered
 * per function (a "sym"), so that an environment is an array.
 */
#ifndef THUNDER_SYNTAX_H
#define THUNDER_SYNTAX_H

#include "front.h"

enum {
    MAX_NESTING = 200, /* brackets and unary operators inside one another */
    MAX_HEIGHT = 1000, /* of a tree: chains such as a + b + c + ... are deep on one side */
    TAB_WIDTH = 8,
};

/* -------------------------------------------------------------------------------------- tokens */

typedef enum TokKind {
    TOK_end,
    TOK_newline, /* outside brackets only */
    TOK_comment, /* outside brackets only; off is the '#' */
    TOK_name,
    TOK_int,
    TOK_float,
    TOK_imag,
    TOK_string,
    TOK_op,
    TOK_bad, /* an unfinished string or a character that no token starts with */
} TokKind;

/* Operators are their characters: OP1('+'), OP2('*', '*'), OP3('*', '*', '='). */
#define OP1(a)       ((uint32_t)(unsigned char)(a))
#define OP2(a, b)    (OP1(a) | OP1(b) << 8)
#define OP3(a, b, c) (OP2(a, b) | OP1(c) << 16)

typedef struct Tok {
    uint8_t kind;
    bool first;   /* on its line, log prefix and blanks aside */
    uint32_t col; /* of a first token, from 0 */
    uint32_t op;
    uint32_t off, len;
} Tok;

typedef struct Lexer {
    const char *text;
    uint32_t pos, end;
    uint32_t depth; /* open brackets */
    uint32_t col;   /* indentation of the line, while it is being entered */
    bool line_start;
    bool only_prefixed; /* inside a logged function: lines without log prefix are foreign */
    bool resync;        /* a bracket was closed by force: a statement began inside it */
} Lexer;

void lex_init(Lexer *lx, Str text, uint32_t from, uint32_t to);
Tok lex_next(Lexer *lx);
/* Bytes of a log prefix ("V0401 ... graph.py:19] [0/0] [__code] ") at the start of line; 0 =
 * none. */
uint32_t lex_log_prefix(const char *line, const char *end);
bool lex_is_name_char(char c);
void lex_add_utf8(StrBuf *b, uint32_t code_point);
/* The contents of a string literal (as in the text, with prefix and quotes), escapes resolved. */
Str lex_string(Arena *a, Str literal);
/* The range of a literal's contents inside its quotes. */
void lex_string_inside(Str literal, uint32_t *from, uint32_t *len);

/* --------------------------------------------------------------------------------- expressions */

typedef enum ExprKind {
    EX_literal, /* number, bool, None, ..., string */
    EX_name,
    EX_attr, /* obj.name */
    EX_call,
    EX_index, /* obj[key] */
    EX_tuple,
    EX_list,
    EX_dict, /* items alternate key and value */
    EX_set,
    EX_slice,  /* items: start, stop, step, each may be NULL */
    EX_unary,  /* op a */
    EX_binary, /* a op b, comparisons included */
    EX_and,
    EX_or,
} ExprKind;

typedef struct Expr Expr;
typedef struct Argument {
    Expr *value;
    uint32_t keyword; /* sym, 0 = positional */
    uint8_t stars;    /* f(*a), f(**k) */
} Argument;

struct Expr {
    uint8_t kind;
    uint16_t height;
    uint32_t off, len;
    union {
        Arg literal;
        uint32_t sym; /* EX_name */
        struct {
            Expr *obj;
            uint32_t sym;
            uint32_t path; /* sym of the whole dotted name a.b.c; 0 when obj is no dotted name */
        } attr;
        struct {
            Expr *fn;
            const Argument *args;
            uint32_t n;
        } call;
        struct {
            Expr *obj, *key;
        } index;
        struct {
            Expr **items;
            uint32_t n;
        } seq;
        struct {
            Expr *a, *b;
            uint32_t op;
        } bin;
    };
};

/* --------------------------------------------------------------------------------- annotations */

typedef enum AnnKind {
    ANN_tensor,
    ANN_number, /* Thunder's "int 5": dtype and value (NULL = unknown) */
    ANN_symbol, /* Sym(expr): value */
    ANN_str,
    ANN_collection,
    ANN_any,
    ANN_none, /* a class name and the like: says nothing */
} AnnKind;

/* A size of a shape: a number, or an expression over symbols when expr is set. */
typedef struct Dim {
    int64_t size;
    Expr *expr;
} Dim;

typedef struct Ann {
    uint8_t kind;
    uint8_t dtype;
    bool has_device, has_strides, future;
    Device device;
    uint32_t rank;
    const Dim *dims, *strides;
    Expr *value;
    uint32_t off, len;
} Ann;

/* ---------------------------------------------------------------------- statements, functions */

typedef enum StmtKind {
    ST_assign,  /* targets = value */
    ST_augment, /* targets[0] op= value */
    ST_expr,
    ST_del, /* targets */
    ST_return,
    ST_type, /* name: "type" without a value, as an annotation or as a comment */
    ST_pass,
} StmtKind;

typedef struct Strides {
    uint32_t rank;
    const int64_t *strides;
} Strides;

typedef struct Stmt Stmt;
struct Stmt {
    uint8_t kind;
    uint32_t op; /* of ST_augment: '+' for += */
    uint32_t off, len;
    uint32_t col;
    Expr **targets;
    uint32_t ntargets;
    Expr *value;
    const Ann *ann;
    const SrcLoc *loc;
    Str executor;           /* from the trailing comment; "" = none */
    uint32_t region;        /* likewise: the checkpoint region, as NF_REGION of flags */
    const int64_t *offsets; /* of the results in the planned arena, -1 = not planned */
    uint32_t noffsets;
    const Strides *layouts; /* of the results as they are written; rank 0 = dense */
    uint32_t nlayouts;
    const Str *over;        /* of the results: whose places they take, "" = nobody's */
    uint32_t nover;
    Stmt *next, *children, *last_child;
};

typedef struct ParamDecl {
    uint32_t sym;
    uint8_t stars;
    const Ann *ann;
    Expr *dflt;
    uint32_t off, len;
} ParamDecl;

typedef struct ClassDecl {
    Str name;
    uint32_t col;
    const struct ClassDecl *outer;
} ClassDecl;

struct FrontFunction {
    const FrontFile *file;
    Str name;
    const ClassDecl *cls; /* NULL = not a method */
    uint32_t off, len;
    const ParamDecl *params;
    uint32_t nparams;
    Stmt *body;
    Map syms;             /* name -> sym */
    const Str *sym_names; /* by sym; 0 is "" */
    uint32_t nsyms;
    uint64_t max_number; /* largest N of names such as t7 */
    const Str *symbols;
    uint32_t nsymbols;
    uint32_t nerrors; /* syntax errors inside */
    Str made_by;      /* from "# Constructed by" */
    uint64_t made_ns;
    int64_t plan_bytes; /* from "# Memory plan:", -1 = none */
};

struct FrontFile {
    Arena arena;
    const Source *src;
    FrontFunction **functions; /* what front_function gives */
    uint32_t n, cap;
    FrontFunction **nested; /* of classes inside classes, and helpers: sub-graphs */
    uint32_t nnested, nested_cap;
    Map imports; /* local name -> dotted name (Str *) */
};

static inline Span front_at(const FrontFile *f, uint32_t off, uint32_t len)
{
    return (Span){f->src, off, len};
}

/* ------------------------------------------------------------------------------------- parsing */

typedef struct Parser {
    FrontFile *file;
    FrontFunction *fn; /* whose names are being numbered */
    Arena *arena;
    Diag *diag;
    Lexer lx;
    Tok tok;           /* not yet consumed */
    uint32_t last_end; /* end of the token consumed last */
    uint32_t nesting;
    bool bad;    /* an error was met in this statement: unwinding */
    bool silent; /* trying: errors are not reported */
    Str *names;  /* by sym; becomes fn->sym_names */
    uint32_t names_cap;
    Expr **stack; /* items of the sequences being read */
    uint32_t nstack, stack_cap;
} Parser;

/* parse_expr.c: the parser's basics and expressions. */
void parse_begin(Parser *p, uint32_t from, uint32_t to);
Tok parse_take(Parser *p); /* consumes and returns p->tok */
bool parse_is(const Parser *p, uint32_t op);
bool parse_is_word(const Parser *p, const char *word);
bool parse_accept(Parser *p, uint32_t op);
bool parse_expect(Parser *p, uint32_t op, const char *what);
Str parse_text(const Parser *p, uint32_t off, uint32_t len);
Str parse_tok_text(const Parser *p);
void parse_error(Parser *p, uint32_t off, uint32_t len, const char *code, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
void parse_unexpected(Parser *p, const char *wanted);
uint32_t parse_sym(Parser *p, Str name);
/* Takes the name at hand, which must be no word of Python's grammar. */
void parse_own_name(Parser *p);
/* Notes the number of a name such as t7 or v12: fresh names must number above it. */
void parse_note_number(Parser *p, Str name);
Expr *parse_expr(Parser *p);
Expr *parse_expr_list(Parser *p); /* "a, b" without brackets gives a tuple */
void parser_free(Parser *p);

/* parse_ann.c: annotations, on tokens or inside the string at hand. NULL after an error. */
const Ann *parse_annotation(Parser *p);

/* parse_comment.c: what comments say. */
typedef enum CommentKind {
    COMMENT_other,
    COMMENT_location,
    COMMENT_type,
    COMMENT_statement
} CommentKind;
/* Classifies the text after '#'; a location is stored in *loc (NULL: "no stacktrace"). */
CommentKind comment_classify(Parser *p, Str text, const SrcLoc **loc);
/* The checkpoint region, as NF_REGION, that a location of PyTorch's names for what follows. */
uint32_t comment_region(Str text);
/* Reads the trailing comment of a statement: NAME: "type" region N kept @executor +offset,... */
void comment_trailer(Parser *p, Tok comment, Stmt *s);
/* "# Constructed by X (took N milliseconds)", "# Memory plan: N bytes". */
void comment_header(Str text, FrontFunction *pending);

/* parse_stmt.c: the statements of fn's body, up to its return; p->tok is then what follows. def_col
 * is the indentation of its def. */
void parse_body(Parser *p, FrontFunction *fn, uint32_t def_col);
/* "import a.b as c", "from a import b as c, d": local names and what they mean. */
void parse_import(FrontFile *f, Str line);
/* Runs the parser on a part of the text (the inside of a comment or string), then comes back. */
typedef struct ParseMark {
    Lexer lx;
    Tok tok;
    uint32_t last_end;
} ParseMark;
ParseMark parse_enter(Parser *p, uint32_t from, uint32_t to);
void parse_leave(Parser *p, ParseMark m);

#endif
