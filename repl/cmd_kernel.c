/*
 * cmd_kernel.c - generated kernels: their source, and how fast a stage runs.
 */
#include "cuda_inspect.h"
#include "output.h"
#include "repl.h"

#include <math.h>
#include <string.h>

static bool has_kernels(const Trace *t)
{
    for_top(t, n)
        if (t->nodes[n].executor)
            return true;
    return false;
}

/* The stage at the cursor when it was claimed, else the last one. */
static const Stage *claimed_stage(Repl *r, Program *p)
{
    const Stage *st = program_cursor(p);
    return has_kernels(st->trace) ? st : find_stage(r, p, S("last"));
}

static void show_edit(Repl *r, Str name, const KernelEdit *e)
{
    Table t = record_begin(r, "kernel-edit",
                           "name,old_ms#,new_ms#,noise_ms#,times_as_fast#,old_ulp#,new_ulp#");
    cell_str(&t, STYLE_head, name);
    cell(&t, STYLE_none, "%.6f", e->old_ms);
    cell(&t, STYLE_good, "%.6f", e->new_ms);
    cell(&t, STYLE_none, "%.6f", e->noise);
    cell(&t, STYLE_none, "%.2f", e->new_ms > 0 ? e->old_ms / e->new_ms : 0);
    cell(&t, STYLE_none, "%.3g", e->before.max_ulp);
    cell(&t, STYLE_none, "%.3g", e->after.max_ulp);
    table_end(&t);
}

/* Which text comes back: from a file, or from the editor. */
static bool edited_kernel(Repl *r, const Args *a, Str text, Str *edited)
{
    if (a->n > 2)
        return read_file(r, a->words[2], edited);
    if (!r->interactive && setting_source(&r->settings, SET_editor) == FROM_default)
        return usage_error(r, a, "in batch, kernel NAME edit needs a file, or an editor");
    return edit_text(r, ".c", text, edited);
}

static bool edit_kernel(Repl *r, const Args *a, Program *p, const Stage *st, Str text)
{
    Str edited;
    KernelEdit e;
    if (!edited_kernel(r, a, text, &edited))
        return false;
    if (!str_trim(edited).n)
        return usage_error(r, a, "the text is empty; the kernel stays as it is");
    if (str_eq(edited, text)) {
        say(r, "nothing changed");
        return true;
    }
    if (!session_kernel_edit(r->session, p, st, a->words[0], edited, &e, &r->diag))
        return false;
    show_edit(r, a->words[0], &e);
    double gap = e.old_ms - e.new_ms;
    say(r, "%s", fabs(gap) <= e.noise ? "both take the same time, within the noise"
                 : gap > 0            ? "the edited kernel is faster"
                                      : "the generated kernel is faster");
    say(r, "it agrees with the oracle and is in use%s; kernel %.*s --revert brings back the "
           "generated one", e.isolated ? ", in a process of its own" : "", STR(a->words[0]));
    return true;
}

/* The form in which the executor of the node compiles. */
static Str own_form(const Stage *st, const Args *a)
{
    NodeId n = session_kernel_node(st, a->words[0]);
    const char *executor = n == NO_NODE ? NULL : st->trace->nodes[n].executor;
    return executor && strcmp(executor, "cuda") == 0 && !arg_flag(a, "--c") ? S("cuda") : S("c");
}

static bool show_cuda(Repl *r, const Args *a, const Stage *st, StrBuf *text)
{
    Str arch = S("sm_90");
    arg_option(a, "--arch", &arch);
    CudaView v = {
        .form = arg_flag(a, "--sass") ? CUDA_machine : arg_flag(a, "--ptx") ? CUDA_assembly
                                                                              : CUDA_text,
        .arch = cuda_arch_parse(arch),
        .eager_rounding = str_is(session_option(r->session, S("kernel.eager_rounding"), S("off")),
                                 "on"),
        .folder = session_option(r->session, S("kernel.cuda"), (Str){0}),
    };
    if (!v.arch)
        return usage_error(r, a, "--arch takes sm_80, sm_90, sm_100");
    NodeId n = session_kernel_node(st, a->words[0]);
    if (n != NO_NODE)
        return cuda_inspect(st->trace, n, &v, text, &r->diag);
    DiagItem *item = diag_error(&r->diag, DIAG_usage, (Span){0}, "no-kernel",
                                "%.*s is no fusion of stage %.*s, nor one of its values",
                                STR(a->words[0]), STR(st->name));
    diag_help(&r->diag, item, "list %.*s", STR(st->name));
    return false;
}

bool cmd_kernel(Repl *r, const Args *a)
{
    Program *p = current(r);
    bool edit = a->n > 1 && str_is(a->words[1], "edit");
    if (a->n < 1 || (a->n > 1 && !edit))
        return usage_error(r, a, "kernel needs the name of a fusion or a value");
    const Stage *st = claimed_stage(r, p);
    StrBuf text = {0};
    bool cuda = arg_flag(a, "--cuda") || arg_flag(a, "--ptx") || arg_flag(a, "--sass");
    bool good = st != NULL;
    if (good && arg_flag(a, "--revert"))
        good = session_kernel_revert(r->session, st, a->words[0], &r->diag);
    if (good && cuda)
        good = show_cuda(r, a, st, &text);
    else if (good)
        good = session_kernel_text(r->session, st, a->words[0], own_form(st, a), &text, &r->diag);
    if (good && edit)
        good = edit_kernel(r, a, p, st, sb_str(&text));
    else if (good)
        data_lines(r, "kernel", sb_str(&text));
    sb_free(&text);
    return good;
}

static void show_bench(Repl *r, Str program, Str stage, const BenchResult *b)
{
    double s = b->median_ms * 1e-3, rate = s > 0 ? b->least / s : 0;
    Table t = record_begin(r, "bench",
                           "name,stage,median_ms#,p10_ms#,p90_ms#,n#,gb#,gb_moved#,tflop#,gb_s#,"
                           "tflop_s#,copy_gb_s#,pct_copy#,matmul_tflop_s#,pct_matmul#,"
                           "first_s#,trace_s#,compile_s#");
    cell_str(&t, STYLE_head, program);
    cell_str(&t, STYLE_none, stage);
    cell(&t, STYLE_good, "%.4f", b->median_ms);
    cell(&t, STYLE_none, "%.4f", b->p10_ms);
    cell(&t, STYLE_none, "%.4f", b->p90_ms);
    cell(&t, STYLE_none, "%u", b->n);
    cell(&t, STYLE_none, "%.6f", b->least * 1e-9);
    cell(&t, STYLE_none, "%.6f", b->bytes * 1e-9);
    cell(&t, STYLE_none, "%.6f", b->flops * 1e-12);
    cell(&t, STYLE_none, "%.3f", rate * 1e-9);
    cell(&t, STYLE_none, "%.4f", s > 0 ? b->flops / s * 1e-12 : 0);
    cell(&t, STYLE_none, "%.3f", b->copy_rate * 1e-9);
    cell(&t, STYLE_none, "%.1f", b->copy_rate > 0 ? 100 * rate / b->copy_rate : 0);
    cell(&t, STYLE_none, "%.4f", b->matmul_rate * 1e-12);
    cell(&t, STYLE_none, "%.1f",
         b->matmul_rate > 0 && s > 0 ? 100 * b->flops / s / b->matmul_rate : 0);
    cell(&t, STYLE_none, "%.3f", b->first_s);
    cell(&t, STYLE_none, "%.4f", b->trace_s);
    cell(&t, STYLE_none, "%.3f", b->compile_s);
    table_end(&t);
}

/* Where a device repeats the run: in which order, and what either order takes. */
static void show_recording(Repl *r, const Stage *st)
{
    RecordingChoice c;
    if (!recording_choice(r->session, st->trace, &c))
        return;
    Table t = record_begin(r, "recording", "stage,order,beside#,ordered_ms#,branches_ms#");
    cell_str(&t, STYLE_none, st->name);
    cell(&t, STYLE_none, "%s", c.forked ? "branches" : "one by one");
    cell(&t, STYLE_none, "%u", c.forks);
    cell(&t, STYLE_none, "%.4f", c.ordered_ms);
    cell(&t, STYLE_none, "%.4f", c.forked_ms);
    table_end(&t);
}

/* The stage of that name; or the one whose statement makes %v or is the fusion of that name. */
static const Stage *benched(Repl *r, Program *p, Str word, NodeId *n)
{
    Diag ignored = {0};
    bool value = word.n && word.p[0] == '%';
    const Stage *st = value ? NULL : program_find_stage(r->session, p, word, &ignored);
    diag_clear(&ignored);
    if (st)
        return st;
    st = claimed_stage(r, p);
    ValueId v = st && value ? find_value(r, st->trace, word) : 0;
    if (!st || (value && !v))
        return NULL;
    *n = value ? trace_owner(st->trace, v) : session_kernel_node(st, word);
    if (*n != NO_NODE)
        return st;
    if (!value)
        return find_stage(r, p, word);
    fail_with(r, DIAG_usage, "no-statement", "no statement of stage %.*s makes %.*s",
              STR(st->name), STR(word));
    fail_help(r, "list %.*s", STR(st->name));
    return NULL;
}

bool cmd_bench(Repl *r, const Args *a)
{
    Program *p = current(r);
    double seconds = 1;
    if (!option_real(r, a, "--time", MOST_SECONDS, &seconds))
        return false;
    NodeId n = NO_NODE;
    const Stage *st = a->n ? benched(r, p, a->words[0], &n) : program_cursor(p);
    BenchResult b;
    if (!st || !(n == NO_NODE ? session_bench(r->session, p, st, seconds, &b, &r->diag)
                              : session_bench_node(r->session, p, st, n, seconds, &b, &r->diag)))
        return false;
    r->measure = b.median_ms;
    OutputMode mode = r->out.mode;
    if (arg_flag(a, "--json"))
        r->out.mode = MODE_json;
    show_bench(r, n == NO_NODE ? program_name(p) : a->words[0], st->name, &b);
    if (n == NO_NODE)
        show_recording(r, st);
    r->out.mode = mode;
    return true;
}
