/*
 * cmd_sweep.c - sweep: where a command fails, over sizes, dtypes, magnitudes and seeds.
 *
 * Input: axes (AXIS=FROM..TO or AXIS=A,B,C) and a command, `compare last @f64` unless another one
 * is given. Output: for each combination of the lists the intervals in which it fails, a strip
 * chart, and the commands that lead to the first failing point. Each point is a program of its own,
 * read from the text of the present one with other sizes and dtypes, set up as that one is.
 */
#include "repl.h"

#include "sweep.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef enum AxisKind { AXIS_symbol, AXIS_size, AXIS_dtype, AXIS_scale, AXIS_seed } AxisKind;

enum { MAX_AXES = 6, MAX_ITEMS = 32 };

typedef struct Axis {
    AxisKind kind;
    Str name; /* symbol, size or input; "" = all */
    bool is_range;
    Range range;
    Str items[MAX_ITEMS]; /* of a list */
    uint32_t nitems, at;  /* at: the one being tried */
} Axis;

typedef struct Sweep {
    Repl *r;
    Program *p;
    Axis axes[MAX_AXES];
    uint32_t naxes;
    Axis *range; /* the one that is searched; NULL: the lists only */
    double at;   /* its value at the point being tried */
    Str command;
    int64_t seed;
    uint32_t tried;
    bool random; /* some input of the last point was drawn */
    Str failing; /* commands of the first point that fails */
    Str why;     /* of the first that cannot be told */
} Sweep;

/* ----------------------------------------------------------------------------------------- axes */

static bool read_range(Axis *x, Str text)
{
    size_t dots = SIZE_MAX;
    for (size_t i = 0; i + 1 < text.n && dots == SIZE_MAX; i++)
        if (text.p[i] == '.' && text.p[i + 1] == '.')
            dots = i;
    if (dots == SIZE_MAX)
        return false;
    x->range.whole = x->kind != AXIS_scale;
    x->is_range = str_to_f64(str_sub(text, 0, dots), &x->range.from) &&
                  str_to_f64(str_sub(text, dots + 2, text.n), &x->range.to);
    return true;
}

static bool check_range(Repl *r, const Args *a, const Axis *x, Str word)
{
    bool sane = x->range.from <= x->range.to && x->range.from >= 0 && x->range.to < 1e300 &&
                (x->range.whole || x->range.from > 0) &&
                (!x->range.whole || (floor(x->range.from) == x->range.from &&
                                     floor(x->range.to) == x->range.to));
    return sane || usage_error(r, a, "'%.*s' is not a range such as 1..64, or 1e-3..1e3 for scale",
                               STR(word));
}

static bool is_symbol(const Program *p, Str name)
{
    uint32_t n;
    const SymbolValue *s = program_symbols(p, &n);
    for (uint32_t i = 0; i < n; i++)
        if (str_eq(s[i].name, name))
            return true;
    return false;
}

/* scale:NAME, of an input whose values can be scaled. */
static bool scaled_input(Repl *r, const Args *a, const Program *p, Str *name)
{
    const Trace *t = program_root(p)->trace;
    ValueId v = trace_find_value(t, *name);
    if (!v || !trace_is_input(t, v) || !dtype_is_float((DType)t->values[v].type.dtype))
        return usage_error(r, a, "%.*s is no floating-point input", STR(*name));
    *name = t->values[v].name;
    return true;
}

/* The sizes of inputs, each once, as a note to the error. */
static void note_sizes(Repl *r, const Program *p)
{
    enum { MOST = 8 };
    const Trace *t = program_root(p)->trace;
    int64_t sizes[MOST];
    uint32_t n = 0;
    StrBuf b = {0};
    for (uint32_t i = 0; i < t->ninputs && n < MOST; i++) {
        const Type *x = &t->values[t->inputs[i]].type;
        for (uint32_t k = 0; x->kind == VALUE_tensor && k < x->rank && n < MOST; k++) {
            uint32_t at = 0;
            while (at < n && sizes[at] != x->shape[k])
                at++;
            if (at < n)
                continue;
            sizes[n++] = x->shape[k];
            sb_printf(&b, "%s%lld", b.n ? ", " : "", (long long)x->shape[k]);
        }
    }
    if (n)
        diag_note(&r->diag, r->diag.last, "sizes of %.*s: %s; sweep %lld=1..9 is one",
                  STR(program_name(p)), sb_cstr(&b), (long long)sizes[0]);
    sb_free(&b);
}

static bool axis_kind(Repl *r, const Args *a, const Program *p, Str name, Axis *x)
{
    int64_t size;
    x->name = name;
    if (is_symbol(p, name)) {
        x->kind = AXIS_symbol;
    } else if (str_to_i64(name, &size) && size > 0) {
        x->kind = AXIS_size;
    } else if (str_is(name, "dtype") || str_is(name, "seed")) {
        x->kind = name.p[0] == 'd' ? AXIS_dtype : AXIS_seed;
    } else if (str_starts(name, "scale")) {
        x->kind = AXIS_scale;
        x->name = name.n > 6 ? str_sub(name, 6, name.n) : (Str){0}; /* scale:x */
        return !x->name.n || scaled_input(r, a, p, &x->name);
    } else {
        usage_error(r, a, "'%.*s' is none of a symbolic size, a size of the program, dtype, scale, "
                          "scale:INPUT, seed", STR(name));
        note_sizes(r, p);
        return false;
    }
    return true;
}

static bool read_axis(Sweep *w, const Args *a, Str word)
{
    Str rest = word, name = str_cut(&rest, '=');
    Repl *r = w->r;
    if (w->naxes == MAX_AXES)
        return usage_error(r, a, "at most %d axes", MAX_AXES);
    Axis *x = &w->axes[w->naxes++];
    *x = (Axis){0};
    if (!axis_kind(r, a, w->p, name, x))
        return false;
    if (read_range(x, rest)) {
        if (x->kind == AXIS_dtype || !x->is_range || !check_range(r, a, x, rest))
            return usage_error(r, a, "'%.*s' is no range", STR(rest));
        if (w->range)
            return usage_error(r, a, "one range only; the others as lists: %.*s=1,2,3", STR(name));
        w->range = x;
        return true;
    }
    while (rest.n && x->nitems < MAX_ITEMS) {
        Str item = str_cut(&rest, ',');
        double ignored;
        bool good = x->kind == AXIS_dtype ? dtype_is_float(dtype_parse(item))
                                          : str_to_f64(item, &ignored);
        if (!good)
            return usage_error(r, a, "'%.*s' is no value of %.*s", STR(item), STR(name));
        x->items[x->nitems++] = item;
    }
    return x->nitems > 0 || usage_error(r, a, "%.*s has no values", STR(name));
}

static Str value_of(const Sweep *w, const Axis *x)
{
    if (x != w->range)
        return x->items[x->at];
    return x->range.whole ? arena_printf(&w->r->scratch, "%.0f", w->at)
                          : arena_printf(&w->r->scratch, "%.17g", w->at);
}

static double number_of(const Sweep *w, const Axis *x)
{
    double v = w->at;
    if (x != w->range)
        str_to_f64(x->items[x->at], &v);
    return v;
}

/* ---------------------------------------------------------------------------------- the program */

/* Whether text[i..] begins a dtype of floats that is written as a type: f32[ or torch.float32. */
static DType dtype_at(Str text, size_t i, size_t *n)
{
    static const struct {
        const char *word;
        DType d;
    } words[] = {{"bf16[", DT_bf16},          {"f16[", DT_f16},
                 {"f32[", DT_f32},            {"f64[", DT_f64},
                 {"torch.bfloat16", DT_bf16}, {"torch.float16", DT_f16},
                 {"torch.float32", DT_f32},   {"torch.float64", DT_f64}};
    if (i && (isalnum((unsigned char)text.p[i - 1]) || text.p[i - 1] == '_'))
        return DT_none;
    for (size_t k = 0; k < ARRAY_LEN(words); k++) {
        if (!str_starts(str_sub(text, i, text.n), words[k].word))
            continue;
        *n = strlen(words[k].word);
        return words[k].d;
    }
    return DT_none;
}

/* The text with the program's main float dtype (the first one written) replaced everywhere. */
static Str with_dtype(Repl *r, Str text, DType to)
{
    StrBuf b = {0};
    DType from = DT_none;
    for (size_t i = 0; i < text.n;) {
        size_t n = 1;
        DType d = dtype_at(text, i, &n);
        from = from == DT_none ? d : from;
        if (d == DT_none || d != from)
            sb_add(&b, str_sub(text, i, n));
        else if (text.p[i] == 't')
            sb_printf(&b, "torch.%s", dtype_info[to].full_name);
        else
            sb_printf(&b, "%s[", dtype_info[to].name);
        i += n;
    }
    Str out = arena_str(&r->scratch, sb_str(&b));
    sb_free(&b);
    return out;
}

/* The text with size `from` replaced in the brackets of types, and where it is an argument of its
 * own. */
static Str with_size(Repl *r, Str text, Str from, Str to)
{
    StrBuf b = {0};
    for (size_t i = 0; i < text.n;) {
        bool starts = i && (text.p[i - 1] == '[' || text.p[i - 1] == '(' || text.p[i - 1] == ' ');
        bool fits = starts && str_eq(str_sub(text, i, from.n), from);
        char after = i + from.n < text.n ? text.p[i + from.n] : 0;
        if (fits && (after == ',' || after == ']' || after == ')')) {
            sb_add(&b, to);
            i += from.n;
        } else {
            sb_putc(&b, text.p[i++]);
        }
    }
    Str out = arena_str(&r->scratch, sb_str(&b));
    sb_free(&b);
    return out;
}

/* The text of the point's program. *changed: it is another than that of the present one. */
static Str point_text(const Sweep *w, bool *changed)
{
    const Source *src = program_source(w->p);
    Str text = src ? src->text : (Str){0};
    *changed = false;
    for (uint32_t i = 0; i < w->naxes; i++) {
        const Axis *x = &w->axes[i];
        Str was = text;
        if (x->kind == AXIS_dtype)
            text = with_dtype(w->r, text, dtype_parse(value_of(w, x)));
        else if (x->kind == AXIS_size)
            text = with_size(w->r, text, x->name, value_of(w, x));
        *changed |= !str_eq(was, text);
    }
    return text;
}

static bool set_sizes(Sweep *w, Program *q)
{
    uint32_t n;
    const SymbolValue *s = program_symbols(w->p, &n);
    for (uint32_t i = 0; i < n; i++) {
        int64_t value = s[i].value;
        for (uint32_t k = 0; k < w->naxes; k++)
            if (w->axes[k].kind == AXIS_symbol && str_eq(w->axes[k].name, s[i].name))
                value = (int64_t)number_of(w, &w->axes[k]);
        if (!program_set_symbol(w->r->session, q, s[i].name, value, &w->r->diag))
            return false;
    }
    return true;
}

static const Axis *axis_of(const Sweep *w, AxisKind kind)
{
    for (uint32_t i = 0; i < w->naxes; i++)
        if (w->axes[i].kind == kind)
            return &w->axes[i];
    return NULL;
}

/* What is bound in the present program goes over where shape and kind are the same. */
static void hand_over(const Sweep *w, Program *q)
{
    const Trace *to = program_root(q)->trace, *from = program_root(w->p)->trace;
    for (uint32_t i = 0; i < to->ninputs; i++) {
        const Value *v = &to->values[to->inputs[i]];
        ValueId old = trace_find_value(from, v->name);
        Tensor *x = old ? program_binding(w->p, old) : NULL;
        Diag quiet = {0};
        if (x && v->type.kind == VALUE_tensor && dtype_is_float(x->dtype) &&
            x->dtype != (DType)v->type.dtype)
            x = tensor_cast(x, (DType)v->type.dtype);
        else if (x)
            x = tensor_ref(x);
        if (x)
            program_bind_value(q, v, x, &quiet); /* sizes stay those of the point */
        tensor_unref(x);
        diag_clear(&quiet);
    }
}

static bool is_scaled(const Trace *t, ValueId v, const Axis *x)
{
    const Value *val = &t->values[v];
    if (val->type.kind != VALUE_tensor || !dtype_is_float((DType)val->type.dtype))
        return false;
    return x->name.n ? str_eq(val->name, x->name) : !(val->flags & VF_PARAMETER);
}

static bool scale_inputs(const Sweep *w, Program *q, const Axis *x)
{
    const Trace *t = program_root(q)->trace;
    double by = number_of(w, x);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        Tensor *old = program_binding(q, t->inputs[i]);
        if (!old || !is_scaled(t, t->inputs[i], x))
            continue;
        Tensor *more = tensor_clone(old);
        char *at = tensor_data(more);
        for (int64_t k = 0, n = tensor_numel(more); k < n; k++, at += dtype_info[old->dtype].bytes)
            elem_set_f64(at, old->dtype, by * elem_get_f64(at, old->dtype));
        bool good = program_bind_tensor(q, t->values[t->inputs[i]].name, more, &w->r->diag);
        tensor_unref(more);
        if (!good)
            return false;
    }
    return true;
}

static bool bind_point(Sweep *w, Program *q)
{
    const Axis *seed = axis_of(w, AXIS_seed), *scale = axis_of(w, AXIS_scale);
    if (!seed)
        hand_over(w, q);
    for (uint32_t i = 0; i < program_root(q)->trace->ninputs; i++)
        w->random |= !program_binding(q, program_root(q)->trace->inputs[i]);
    uint64_t number = seed ? (uint64_t)number_of(w, seed) : (uint64_t)w->seed;
    return program_bind_random(w->r->session, q, number, &w->r->diag) &&
           (!scale || scale_inputs(w, q, scale));
}

/* ------------------------------------------------------------------------------------ one point */

/* The commands that lead to the point, one a line; text of another program goes to FILE.py. */
static Str point_commands(Sweep *w, Str file)
{
    StrBuf b = {0};
    bool changed;
    Str text = point_text(w, &changed);
    if (changed && file.n) {
        Str path = arena_printf(&w->r->scratch, "%.*s.py", STR(file));
        if (write_file(w->r, path, text))
            sb_printf(&b, "load %.*s:%.*s\n", STR(path), STR(program_root(w->p)->trace->name));
    }
    for (uint32_t i = 0; i < w->naxes; i++) {
        const Axis *x = &w->axes[i];
        Str v = value_of(w, x);
        if (x->kind == AXIS_symbol)
            sb_printf(&b, "set %.*s=%.*s\n", STR(x->name), STR(v));
        else if ((x->kind == AXIS_dtype || x->kind == AXIS_size) && !file.n)
            sb_printf(&b, "# with %.*s=%.*s (--to FILE writes that program)\n", STR(x->name),
                      STR(v));
    }
    const Axis *seed = axis_of(w, AXIS_seed), *scale = axis_of(w, AXIS_scale);
    Str number = seed ? value_of(w, seed)
                      : arena_printf(&w->r->scratch, "%lld", (long long)w->seed);
    if (w->random)
        sb_printf(&b, "bind --random %.*s\n", STR(number));
    if (scale) {
        const Trace *t = program_root(w->p)->trace;
        for (uint32_t i = 0; i < t->ninputs; i++)
            if (is_scaled(t, t->inputs[i], scale))
                sb_printf(&b, "bind '%.*s=%%%.*s * %.*s'\n", STR(t->values[t->inputs[i]].name),
                          STR(t->values[t->inputs[i]].name), STR(value_of(w, scale)));
    }
    const Command *found[2];
    bool minify = command_lookup(S("minify"), found, 2) == 1;
    sb_printf(&b, "%s --check ", minify ? "minify" : "bisect");
    word_quote(w->command, &b);
    sb_putc(&b, '\n');
    Str out = arena_str(&w->r->arena, sb_str(&b));
    sb_free(&b);
    return out;
}

/* The program of the point, current and set up as the present one; NULL when it cannot be made. */
static Program *make_program(Sweep *w)
{
    Repl *r = w->r;
    Session *s = r->session;
    bool changed;
    Str text = point_text(w, &changed), name = program_source(w->p)->name;
    uint32_t before = session_program_count(s);
    if (!session_load_text(s, name, text, program_root(w->p)->trace->name, &r->diag))
        return NULL;
    Program *q = session_program(s, before);
    session_select(s, q);
    StrBuf lines = {0};
    program_setup_lines(r, w->p, &lines);
    bool good = set_sizes(w, q);
    Str rest = sb_str(&lines);
    while (good && rest.n)
        good = repl_line(r, str_cut(&rest, '\n')) == 0;
    sb_free(&lines);
    good = good && bind_point(w, q);
    if (good)
        return q;
    session_unload(s, q);
    return NULL;
}

static void note_why(Sweep *w)
{
    if (!w->why.n && w->r->diag.first)
        w->why = arena_str(&w->r->arena, w->r->diag.first->message);
}

static bool try_here(void *user, double at, Outcome *outcome, double *measure)
{
    Sweep *w = user;
    Repl *r = w->r;
    StrBuf output = {0}, *outer = r->out.capture;
    Diag kept = r->diag;
    w->at = at;
    progress(r, "sweep", ++w->tried, 0);
    if (*session_interrupt(r->session))
        return false;
    r->diag = (Diag){0};
    out_flush(r);
    r->out.capture = &output;
    r->out.mute++;
    r->measure = NAN;
    Program *q = make_program(w);
    int status = q ? repl_line(r, w->command) : DIAG_usage;
    note_why(w);
    r->out.mute--;
    r->out.capture = outer;
    if (q) {
        forget_runs(r, q);
        session_unload(r->session, q);
    }
    session_select(r->session, w->p);
    diag_clear(&r->diag);
    r->diag = kept;
    sb_free(&output);
    *outcome = status == 0            ? POINT_good
               : status == DIAG_check ? POINT_bad
                                      : POINT_unknown;
    *measure = r->measure;
    return status != DIAG_interrupt;
}

/* --------------------------------------------------------------------------------------- report */

static Str combination(const Sweep *w)
{
    StrBuf b = {0};
    for (uint32_t i = 0; i < w->naxes; i++)
        if (&w->axes[i] != w->range)
            sb_printf(&b, "%s%.*s=%.*s", b.n ? " " : "",
                      STR(w->axes[i].kind == AXIS_dtype   ? S("dtype")
                          : w->axes[i].kind == AXIS_seed  ? S("seed")
                          : w->axes[i].kind == AXIS_scale ? S("scale")
                                                          : w->axes[i].name),
                      STR(w->axes[i].items[w->axes[i].at]));
    Str out = arena_str(&w->r->scratch, sb_str(&b));
    sb_free(&b);
    return out;
}

static Str range_label(const Sweep *w)
{
    return w->range->kind == AXIS_scale  ? S("scale")
           : w->range->kind == AXIS_seed ? S("seed")
                                         : w->range->name;
}

static void interval_text(const Sweep *w, const Interval *v, StrBuf *out)
{
    Str name = range_label(w);
    sb_printf(out, "fails for %.*s ", STR(name));
    if (v->from == v->to)
        sb_printf(out, "= %.6g", v->from);
    else if (v->open_from && v->open_to)
        sb_printf(out, "everywhere in %.6g..%.6g", v->from, v->to);
    else if (v->open_to)
        sb_printf(out, "from %.6g on (to %.6g at least)", v->from, v->to);
    else if (v->open_from)
        sb_printf(out, "up to %.6g", v->to);
    else
        sb_printf(out, "in %.6g..%.6g", v->from, v->to);
    sb_printf(out, ", %u point%s tried", v->bad, plural(v->bad));
}

static void show_search(Sweep *w, const Search *s)
{
    Repl *r = w->r;
    Interval v[8];
    uint32_t n = search_intervals(s, v, ARRAY_LEN(v)), unknown = 0;
    StrBuf chart = {0}, bars = {0}, text = {0};
    Str label = combination(w);
    for (uint32_t i = 0; i < s->n; i++)
        unknown += s->tried[i].outcome == POINT_unknown;
    if (r->out.mode == MODE_json || r->out.mode == MODE_csv || r->out.mode == MODE_plain) {
        Table t = table_begin(r, "sweep", "axes,axis,from#,to#,bad#,tried#");
        for (uint32_t i = 0; i < n; i++) {
            cell_str(&t, STYLE_none, label);
            cell_str(&t, STYLE_none, range_label(w));
            cell(&t, STYLE_none, "%.17g", v[i].from);
            cell(&t, STYLE_none, "%.17g", v[i].to);
            cell(&t, STYLE_none, "%u", v[i].bad);
            cell(&t, STYLE_none, "%u", s->n);
        }
        table_end(&t);
    } else {
        uint32_t columns = r->out.width > 24 && r->out.width < 120 ? r->out.width - 18 : 64;
        search_chart(s, columns, &chart, &bars);
        if (label.n)
            dataf(r, "%s%.*s%s\n", style(r, STYLE_head), STR(label), style(r, STYLE_none));
        dataf(r, "%9.4g %s %.4g\n", s->range.from, sb_cstr(&chart), s->range.to);
        if (bars.n)
            dataf(r, "%9s %s\n", "", sb_cstr(&bars));
        for (uint32_t i = 0; i < n; i++) {
            sb_clear(&text);
            interval_text(w, &v[i], &text);
            dataf(r, "  %s%s%s\n", style(r, STYLE_error), sb_cstr(&text), style(r, STYLE_none));
        }
        dataf(r, "  %u point%s, %s%s", s->n, plural(s->n),
              n ? "some fail" : unknown == s->n ? "none can be told" : "none fails",
              s->stopped ? ", stopped" : "");
        dataf(r, unknown ? ", %u cannot be told\n" : "\n", unknown);
    }
    sb_free(&chart);
    sb_free(&bars);
    sb_free(&text);
}

/* -------------------------------------------------------------------------------------- command */

/* The next combination of the lists; false after the last. */
static bool next_combination(Sweep *w)
{
    for (uint32_t i = 0; i < w->naxes; i++) {
        Axis *x = &w->axes[i];
        if (x == w->range)
            continue;
        if (++x->at < x->nitems)
            return true;
        x->at = 0;
    }
    return false;
}

/* One combination; returns whether some point fails. */
static bool sweep_once(Sweep *w, uint32_t points, Str file, bool *stopped)
{
    Search s = {0};
    if (w->range)
        s.range = w->range->range;
    s.range.whole |= !w->range;
    search_run(&s, w->range ? points : 1, (uint64_t)w->seed, try_here, w);
    bool fails = false;
    for (uint32_t i = 0; i < s.n && !fails; i++) {
        fails = s.tried[i].outcome == POINT_bad;
        w->at = s.tried[i].at;
    }
    if (fails && !w->failing.n)
        w->failing = point_commands(w, file);
    if (w->range) {
        show_search(w, &s);
    } else if (s.n) {
        dataf(w->r, "%-40.*s %s\n", STR(combination(w)),
              s.tried[0].outcome == POINT_good  ? "holds"
              : s.tried[0].outcome == POINT_bad ? "fails"
                                                : "cannot be told");
    }
    *stopped = s.stopped;
    search_free(&s);
    return fails;
}

static bool read_words(Sweep *w, const Args *a)
{
    uint32_t i = 0;
    for (; i < a->n && !str_is(a->words[i], "do"); i++)
        if (!read_axis(w, a, a->words[i]))
            return false;
    StrBuf b = {0};
    for (i++; i < a->n; i++)
        sb_printf(&b, "%s%.*s", b.n ? " " : "", STR(a->words[i]));
    w->command = b.n ? arena_str(&w->r->scratch, sb_str(&b)) : S("compare last @f64");
    sb_free(&b);
    if (!w->naxes)
        return usage_error(w->r, a, "sweep needs an axis such as s0=1..64");
    return command_known(w->r, w->command);
}

bool cmd_sweep(Repl *r, const Args *a)
{
    Sweep w = {.r = r, .p = current(r), .seed = setting_int(&r->settings, SET_seed)};
    Str file = {0};
    int64_t points = 48;
    if (!option_int(r, a, "--points", 2, 100000, &points) ||
        !option_int(r, a, "--seed", 0, INT64_MAX, &w.seed))
        return false;
    arg_option(a, "--to", &file);
    if (!program_source(w.p) || !program_source(w.p)->text.n)
        return fail_with(r, DIAG_usage, "no-text", "sweep needs a program that was read from text");
    if (!read_words(&w, a))
        return false;
    if (!w.range && arg_flag(a, "--points"))
        return usage_error(r, a, "--points goes with a range such as s0=1..64 only");
    bool fails = false, stopped = false;
    do
        fails |= sweep_once(&w, (uint32_t)points, file, &stopped);
    while (!stopped && next_combination(&w));
    if (w.why.n && !fails)
        say(r, "where it cannot be told: %.*s", STR(w.why));
    if (w.failing.n) {
        say(r, "the first point that fails:");
        data_lines(r, "command", w.failing);
        if (file.n && write_file(r, file, w.failing))
            say(r, "written to %.*s: source %.*s", STR(file), STR(file));
    }
    r->check_failed = fails;
    return !fails;
}
