/*
 * cmd_program.c - programs and the session: load, bind, inputs, program, unload, save, source,
 * record.
 */
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include "viz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --------------------------------------------------------------------------------------- load */

/* "examples/mlp.safetensors" beside "examples/mlp.py"; "" when there is none. */
static Str tensors_beside(Repl *r, Str path)
{
    if (!str_ends(path, ".py"))
        return (Str){0};
    Str beside = arena_printf(&r->scratch, "%.*s.safetensors", STR(str_sub(path, 0, path.n - 3)));
    return access(beside.p, R_OK) == 0 ? beside : (Str){0};
}

/* Binds recorded tensors to a program just loaded. What does not fit is left to `bind`. */
static bool bind_beside(Repl *r, Program *p, Str tensors, bool only)
{
    Diag ignored = {0};
    Str prefix = only ? (Str){0} : program_name(p);
    bool ok = program_bind_file(r->session, p, tensors, prefix, &ignored);
    if (!ok && only) {
        diag_clear(&ignored);
        ok = program_bind_file(r->session, p, tensors, program_name(p), &ignored);
        prefix = program_name(p);
    }
    diag_clear(&ignored);
    if (!ok)
        return false;
    session_expect_run(r->session, p);
    remember_bind(r, p, prefix.n ? arena_printf(&r->scratch, "%.*s:%.*s", STR(tensors), STR(prefix))
                                 : tensors);
    return true;
}

static void say_loaded(Repl *r, uint32_t first, uint32_t n, Str tensors, uint32_t bound)
{
    Program *p = session_program(r->session, first);
    const Trace *t = program_root(p)->trace;
    const Source *src = program_source(p);
    uint32_t nodes = trace_count_top(t);
    if (n == 1)
        say(r, "loaded %.*s from %.*s: %u input%s, %u node%s", STR(program_name(p)),
            STR(base_name(src ? src->name : S("?"))), t->ninputs, plural(t->ninputs), nodes,
            plural(nodes));
    else
        say(r, "loaded %u programs; the current one is %.*s, `program` lists them", n,
            STR(program_name(p)));
    if (bound)
        say(r, "inputs are bound from %.*s", STR(base_name(tensors)));
    else if (n == 1 && t->ninputs)
        say(r, "inputs are not bound yet: bind FILE, or bind --random");
}

/* Whether inputs are meant for a device: then it will run there, as far as there is one. */
static bool names_device(const Program *p)
{
    const Trace *t = program_root(p)->trace;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        const Type *type = &t->values[t->inputs[i]].type;
        if (type->kind == VALUE_tensor && type->device.type == DEV_cuda)
            return true;
    }
    return false;
}

static bool load_one(Repl *r, Str path)
{
    uint32_t before = session_program_count(r->session), bound = 0;
    session_registry(r->session)->seed = setting_int(&r->settings, SET_seed);
    uint32_t n = session_load(r->session, path, &r->diag);
    if (!n)
        return r->diag.nerrors == 0
                   ? fail_with(r, DIAG_load, "nothing-loaded", "%.*s holds no program", STR(path))
                   : false;
    Str tensors = tensors_beside(r, path);
    for (uint32_t i = 0; i < n; i++) {
        Program *p = session_program(r->session, before + i);
        Past *past = program_past(r, p);
        const Source *src = program_source(p);
        past->path = arena_printf(&r->arena, "%.*s", STR(src ? src->name : path));
        if (!tensors.n && src)
            tensors = tensors_beside(r, src->name);
        if (tensors.n)
            bound += bind_beside(r, p, tensors, n == 1);
        if (names_device(p))
            session_expect_run(r->session, p);
    }
    say_loaded(r, before, n, tensors, bound);
    return r->diag.nerrors == 0;
}

bool cmd_load(Repl *r, const Args *a)
{
    if (!a->n)
        return usage_error(r, a, "load needs a file");
    bool ok = true;
    for (uint32_t i = 0; i < a->n; i++)
        ok &= load_one(r, a->words[i]);
    return ok;
}

/* --------------------------------------------------------------------------------------- bind */

static uint32_t count_bound(const Program *p)
{
    const Trace *t = program_bindable(p);
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->ninputs; i++)
        n += program_binding(p, t->inputs[i]) != NULL;
    return n;
}

static void say_bound(Repl *r, const Program *p)
{
    uint32_t n = program_bindable(p)->ninputs, bound = count_bound(p);
    if (n == 1)
        say(r, bound ? "the input is bound" : "the input is not bound");
    else
        say(r, bound == n ? "all %u inputs are bound" : "%u of %u inputs are bound", bound, n);
}

/* A number fills the whole input; anything else must have its shape (dtypes are converted). NULL
 * when there is no memory. */
static Tensor *fit_to_input(const Type *want, Tensor *t)
{
    if (want->kind != VALUE_tensor)
        return tensor_ref(t);
    if (t->rank != 0 || want->rank == 0)
        return t->dtype == want->dtype ? tensor_ref(t) : tensor_cast(t, want->dtype);
    Tensor *full = tensor_new(want->dtype, want->device, want->rank, want->shape);
    if (!full)
        return NULL;
    double v = elem_get_f64(tensor_data(t), t->dtype);
    char *at = tensor_data(full);
    for (int64_t i = 0, n = tensor_numel(full); i < n; i++, at += dtype_info[want->dtype].bytes)
        elem_set_f64(at, want->dtype, v);
    return full;
}

static bool bind_value(Repl *r, Program *p, Str name, Str text)
{
    const Trace *t = program_bindable(p);
    ValueId v = find_value(r, t, name);
    if (!v)
        return false;
    const Type *type = &t->values[v].type;
    Tensor *value = evaluate(r, p, program_cursor(p), text, ROUND_dtype);
    if (!value)
        return false;
    Tensor *fitted = fit_to_input(type, value);
    bool ok = fitted ? program_bind_tensor(p, t->values[v].name, fitted, &r->diag)
                     : fail_with(r, DIAG_load, "no-memory", "no memory for input %.*s (%lld bytes)",
                                 STR(t->values[v].name), (long long)type_bytes(type));
    tensor_unref(fitted);
    tensor_unref(value);
    return ok;
}

static bool bind_random(Repl *r, Program *p, const Args *a)
{
    int64_t seed;
    if (!arg_number(r, a, 0, setting_int(&r->settings, SET_seed), 0, &seed))
        return false;
    if (!program_bind_random(r->session, p, (uint64_t)seed, &r->diag))
        return false;
    remember_bind(r, p, arena_printf(&r->scratch, "--random %lld", (long long)seed));
    return true;
}

static bool bind_word(Repl *r, Program *p, Str word)
{
    size_t eq = str_find(word, '=', 0);
    if (eq != SIZE_MAX && access(arena_str(&r->scratch, word).p, F_OK) != 0)
        return bind_value(r, p, str_sub(word, 0, eq), str_sub(word, eq + 1, word.n));
    size_t colon = word.n;
    while (colon > 0 && word.p[colon - 1] != ':')
        colon--;
    if (!colon || access(arena_str(&r->scratch, word).p, F_OK) == 0)
        return program_bind_file(r->session, p, word, (Str){0}, &r->diag);
    return program_bind_file(r->session, p, str_sub(word, 0, colon - 1),
                             str_sub(word, colon, word.n), &r->diag);
}

/* NAME=%x * 2 without quotes is three words. */
static bool check_words(Repl *r, const Args *a)
{
    for (uint32_t i = 1; i < a->n; i++)
        if (a->words[i].n == 1 && strchr("+-*/@%&|<>^", a->words[i].p[0]))
            return usage_error(r, a, "an expression with blanks is put in quotes: bind '%.*s %.*s "
                                     "...'", STR(a->words[i - 1]), STR(a->words[i]));
    return true;
}

bool cmd_bind(Repl *r, const Args *a)
{
    Program *p = current(r);
    bool ok = true;
    if (!a->n && !arg_flag(a, "--random"))
        return usage_error(r, a, "bind needs a file, --random, or NAME=VALUE");
    if (!check_words(r, a))
        return false;
    forget_runs(r, p);
    session_expect_run(r->session, p);
    if (arg_flag(a, "--random")) {
        ok = bind_random(r, p, a);
    } else {
        for (uint32_t i = 0; i < a->n && ok; i++) {
            ok = bind_word(r, p, a->words[i]);
            if (ok)
                remember_bind(r, p, a->words[i]);
        }
    }
    forget_runs(r, p); /* a value may have been computed from what was bound before */
    if (ok)
        say_bound(r, p);
    return ok;
}

bool cmd_inputs(Repl *r, const Args *a)
{
    (void)a;
    Program *p = current(r);
    const Trace *t = program_bindable(p);
    Table table = table_begin(r, "input", "name,type,path<~,parameter?,bound?");
    for (uint32_t i = 0; i < t->ninputs; i++) {
        const Value *v = &t->values[t->inputs[i]];
        StrBuf type = {0}, path = {0};
        type_print(&v->type, &v->known, &type);
        bool bound = program_binding(p, t->inputs[i]) != NULL;
        label_name(v->name, 200, &path);
        cell(&table, STYLE_none, "%%%.*s", STR(v->name));
        cell_str(&table, STYLE_type, sb_str(&type));
        cell_str(&table, STYLE_none, str_eq(sb_str(&path), v->name) ? (Str){0} : sb_str(&path));
        cell(&table, STYLE_none, "%s", v->flags & VF_PARAMETER ? "yes" : "no");
        cell(&table, bound ? STYLE_good : STYLE_warn, "%s", bound ? "yes" : "no");
        sb_free(&type);
        sb_free(&path);
    }
    table_end(&table);
    uint32_t n;
    const SymbolValue *symbols = program_symbols(p, &n);
    if (!n)
        return true;
    Table sizes = table_begin(r, "symbol", "size,value#");
    for (uint32_t i = 0; i < n; i++) {
        cell_str(&sizes, STYLE_none, symbols[i].name);
        cell(&sizes, STYLE_value, "%lld", (long long)symbols[i].value);
    }
    table_end(&sizes);
    return true;
}

/* ------------------------------------------------------------------------------------ programs */

static void list_programs(Repl *r)
{
    Table t = table_begin(r, "program", "at?,n#,name,stage,nodes#,inputs#,file");
    for (uint32_t i = 0; i < session_program_count(r->session); i++) {
        Program *p = session_program(r->session, i);
        const Source *src = program_source(p);
        bool here = p == current(r);
        cell(&t, STYLE_good, "%s", here ? ">" : "");
        cell(&t, STYLE_none, "%u", i + 1);
        cell_str(&t, here ? STYLE_head : STYLE_none, program_name(p));
        cell_str(&t, STYLE_none, program_cursor(p)->name);
        cell(&t, STYLE_none, "%u", trace_count_top(program_cursor(p)->trace));
        cell(&t, STYLE_none, "%u", program_root(p)->trace->ninputs);
        cell_str(&t, STYLE_dim, src ? src->name : (Str){0});
    }
    table_end(&t);
}

bool cmd_program(Repl *r, const Args *a)
{
    if (!a->n) {
        if (!session_program_count(r->session))
            say(r, "no program is loaded; load FILE reads one");
        else
            list_programs(r);
        return true;
    }
    Program *p = find_program(r, a->words[0]);
    if (!p)
        return false;
    session_select(r->session, p);
    say(r, "current program is %.*s", STR(program_name(p)));
    show_where(r, p);
    return true;
}

void forget_past(Repl *r, const Program *p)
{
    for (uint32_t i = 0; i < r->npasts; i++) {
        if (r->pasts[i].program != p)
            continue;
        free(r->pasts[i].binds);
        r->pasts[i] = r->pasts[--r->npasts];
        return;
    }
}

bool cmd_unload(Repl *r, const Args *a)
{
    Program *p = a->n ? find_program(r, a->words[0]) : current(r);
    if (!p)
        return false;
    StrBuf question = {0};
    sb_printf(&question, "unload %.*s with all its stages?", STR(program_name(p)));
    bool yes = confirm(r, sb_cstr(&question));
    sb_free(&question);
    if (!yes)
        return true;
    say(r, "unloaded %.*s", STR(program_name(p)));
    forget_runs(r, p);
    forget_past(r, p);
    session_unload(r->session, p);
    return true;
}

/* -------------------------------------------------------------------------------- source, record
 */

/* What a transcript is checked with. */
typedef struct Transcript {
    Str path;
    StrBuf got, command, want;
    uint32_t at; /* line of the command */
    uint32_t wrong, checked;
} Transcript;

/* Runs the command that was read last, and compares what it says with the lines below it. */
static void check_command(Repl *r, Transcript *x)
{
    StrBuf *outer = r->out.capture;
    out_flush(r); /* what was said of the commands before is not output of this one */
    r->out.capture = &x->got;
    sb_clear(&x->got);
    repl_line(r, sb_str(&x->command));
    r->out.capture = outer;
    x->checked++;
    if (str_eq(sb_str(&x->got), sb_str(&x->want)))
        return;
    x->wrong++;
    data_lines(r, "changed", arena_printf(&r->scratch, "%.*s:%u: %s\n", STR(x->path), x->at,
                                          sb_cstr(&x->command)));
    DiffLines d = diff_texts(&r->scratch, sb_str(&x->want), sb_str(&x->got));
    show_diff(r, &d, 1);
}

/* Compares the output of each command of a transcript with the '#>' lines below it. */
static bool check_transcript(Repl *r, Str path, Str text)
{
    Transcript x = {.path = path};
    uint32_t line = 0;
    while (text.n || x.command.n) {
        Str one = str_cut(&text, '\n');
        line++;
        bool expected = str_starts(one, "#> ") || str_is(one, "#>");
        if (expected) {
            sb_printf(&x.want, "%.*s\n", STR(str_sub(one, 3, one.n)));
            if (text.n)
                continue;
        }
        if (x.command.n)
            check_command(r, &x);
        sb_clear(&x.command);
        sb_clear(&x.want);
        if (!expected)
            sb_add(&x.command, str_trim(one));
        if (x.command.n && x.command.p[0] == '#')
            sb_clear(&x.command);
        x.at = line;
    }
    sb_free(&x.got);
    sb_free(&x.command);
    sb_free(&x.want);
    say(r, "%u commands, %u with other output than recorded", x.checked, x.wrong);
    return !x.wrong ||
           fail_with(r, DIAG_check, "transcript", "the output of %.*s has changed", STR(path));
}

bool cmd_source(Repl *r, const Args *a)
{
    Str text;
    if (a->n != 1)
        return usage_error(r, a, "source takes one file");
    if (r->source_depth == MAX_SOURCE_DEPTH)
        return fail_with(r, DIAG_usage, "source-depth", "files source each other more than %d deep",
                         MAX_SOURCE_DEPTH);
    if (!read_file(r, a->words[0], &text) ||
        (arg_flag(a, "--trust") && !trust_folder(r, a->words[0])))
        return false;
    if (arg_flag(a, "--check"))
        return check_transcript(r, a->words[0], text);
    r->source_depth++;
    int status = repl_text(r, a->words[0], text);
    r->source_depth--;
    if (status && !r->quit) {
        fail_with(r, (DiagKind)status, "source-failed", "%.*s: a command failed", STR(a->words[0]));
        return false;
    }
    return true;
}

static bool stop_recording(Repl *r)
{
    r->record.on = false;
    bool ok = write_file(r, r->record.path, sb_str(&r->record.text));
    sb_free(&r->record.text);
    return ok;
}

bool cmd_record(Repl *r, const Args *a)
{
    if (!a->n) {
        data_lines(r, "record",
                   r->record.on ? arena_printf(&r->scratch, "record on %.*s\n", STR(r->record.path))
                                : S("record off\n"));
        return true;
    }
    bool on;
    if (!parse_on_off(r, a, a->words[0], &on))
        return false;
    if (on && a->n != 2)
        return usage_error(r, a, "record on needs a file");
    if (!on && !r->record.on)
        return fail_with(r, DIAG_usage, "not-recording", "nothing is being recorded");
    if (r->record.on && !stop_recording(r))
        return false;
    if (!on) {
        say(r, "recorded to %.*s", STR(r->record.path));
        return true;
    }
    r->record.path = arena_str(&r->arena, a->words[1]);
    if (!write_file(r, r->record.path, (Str){0})) /* fails now rather than at the end */
        return false;
    r->record.on = true;
    say(r, "recording to %.*s; record off ends it", STR(r->record.path));
    return true;
}
