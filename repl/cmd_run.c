/*
 * cmd_run.c - values: run, print, stats, replay.
 */
#include "repl.h"

#include "viz.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ tensors */

static void tensor_type(const Tensor *t, StrBuf *out)
{
    device_print(t->device, out);
    sb_printf(out, " %s[", dtype_info[t->dtype].name);
    for (uint32_t i = 0; i < t->rank; i++)
        sb_printf(out, "%s%lld", i ? ", " : "", (long long)t->shape[i]);
    sb_putc(out, ']');
}

static void json_number(double v, StrBuf *out)
{
    if (isnan(v))
        sb_puts(out, "\"nan\"");
    else if (isinf(v))
        sb_puts(out, v < 0 ? "\"-inf\"" : "\"inf\"");
    else
        sb_printf(out, "%.17g", v);
}

static void json_element(const char *at, DType d, StrBuf *out)
{
    double c[2];
    if (d == DT_b8) {
        sb_puts(out, elem_get_i64(at, d) ? "true" : "false");
    } else if (dtype_is_complex(d)) {
        elem_get_c128(at, d, c);
        sb_putc(out, '[');
        json_number(c[0], out);
        sb_putc(out, ',');
        json_number(c[1], out);
        sb_putc(out, ']');
    } else if (dtype_is_exact(d)) {
        sb_printf(out, "%lld", (long long)elem_get_i64(at, d));
    } else {
        json_number(elem_get_f64(at, d), out);
    }
}

/* {"kind":"tensor",...,"shape":[..],"data":[..]}: elements in row-major order. */
static void json_tensor(Repl *r, const char *name, uint32_t result, Tensor *t)
{
    Tensor *dense = tensor_contiguous(t);
    StrBuf b = {0};
    sb_printf(&b, "{\"kind\":\"tensor\",\"version\":%d,\"result\":%u,\"name\":", JSON_VERSION,
              result);
    put_json(str_from(name), &b);
    sb_printf(&b, ",\"dtype\":\"%s\",\"shape\":[", dtype_info[t->dtype].name);
    for (uint32_t i = 0; i < t->rank; i++)
        sb_printf(&b, "%s%lld", i ? "," : "", (long long)t->shape[i]);
    sb_puts(&b, "],\"data\":[");
    const char *at = tensor_data(dense);
    for (int64_t i = 0, n = tensor_numel(dense); i < n; i++, at += dtype_info[t->dtype].bytes) {
        sb_puts(&b, i ? "," : "");
        json_element(at, t->dtype, &b);
    }
    sb_puts(&b, "]}\n");
    data(r, sb_str(&b));
    sb_free(&b);
    tensor_unref(dense);
}

void show_tensor(Repl *r, const char *name, Tensor *t)
{
    uint32_t n = add_result(r, t, "%s", name);
    if (r->out.mode == MODE_json) {
        json_tensor(r, name, n, t);
        return;
    }
    StrBuf b = {0}, type = {0};
    tensor_type(t, &type);
    uint32_t width = r->out.width && !r->out.wide ? r->out.width : 120;
    tensor_print(t, (uint32_t)setting_int(&r->settings, SET_items), width, &b);
    Str text = str_trim(sb_str(&b));
    dataf(r, "%s$%u%s = %s  %s# %s%s\n", style(r, STYLE_value), n, style(r, STYLE_none), name,
          style(r, STYLE_dim), sb_cstr(&type), style(r, STYLE_none));
    dataf(r, "%.*s\n", STR(text));
    sb_free(&b);
    sb_free(&type);
}

/* ---------------------------------------------------------------------------------------- run */

static bool executors_option(Repl *r, const Args *a, ExecList *l, const ExecList **out)
{
    Str names;
    *out = NULL;
    if (!arg_option(a, "--executors", &names))
        return true;
    *out = l;
    return exec_parse_list(session_executors(r->session), names, l, &r->diag);
}

static void show_outputs(Repl *r, const Stage *st, const Run *run)
{
    StrBuf name = {0};
    Arg *outs = new_array(&r->scratch, Arg, run->noutputs + 1);
    trace_outputs(st->trace, outs, run->noutputs);
    for (uint32_t i = 0; i < run->noutputs; i++) {
        sb_clear(&name);
        if (arg_is_value(outs[i]))
            sb_printf(&name, "%%%.*s", STR(st->trace->values[outs[i].v].name));
        else
            sb_printf(&name, "output %u", i);
        if (run->outputs[i])
            show_tensor(r, sb_cstr(&name), run->outputs[i]);
        else
            data_lines(r, "none", arena_printf(&r->scratch, "%s: None\n", sb_cstr(&name)));
    }
    for (uint32_t i = 0; i < st->trace->ninputs && run->mutated; i++) {
        if (!run->mutated[i])
            continue;
        sb_clear(&name);
        sb_printf(&name, "%%%.*s, changed in place",
                  STR(st->trace->values[st->trace->inputs[i]].name));
        show_tensor(r, sb_cstr(&name), run->mutated[i]);
    }
    sb_free(&name);
}

/* The file and prefix of the last `bind FILE[:PREFIX]` of p; false when there was none. */
static bool recorded_in(Repl *r, const Program *p, Str *path, Str *prefix)
{
    const Past *past = program_past(r, p);
    for (uint32_t i = past->nbinds; i-- > 0;) {
        Str word = past->binds[i];
        size_t end = word.n;
        if (str_starts(word, "--") || str_find(word, '=', 0) != SIZE_MAX)
            return false; /* other inputs than those recorded */
        while (end > 0 && word.p[end - 1] != ':' &&
               !str_ends(str_sub(word, 0, end), ".safetensors"))
            end--;
        *prefix = end && word.p[end - 1] == ':' ? str_sub(word, end, word.n) : (Str){0};
        *path = prefix->n ? str_sub(word, 0, end - 1) : word;
        return true;
    }
    return false;
}

static bool same_as_recorded(const TensorView *v, const Tensor *got, Comparison *c)
{
    Tensor *want = tensor_new(v->dtype, (Device){DEV_cpu, 0}, v->rank, v->shape);
    if (!want)
        return false;
    if (v->bytes)
        memcpy(tensor_data(want), v->data, v->bytes);
    *c = tensor_compare(got, want, -1, -1);
    tensor_unref(want);
    return c->equal;
}

/* Says whether the outputs are those that were recorded beside the inputs, where there are any. */
static void check_recorded(Repl *r, const Program *p, const Run *run)
{
    Str path, prefix;
    SafeTensors st = {0};
    Diag ignored = {0};
    if (!recorded_in(r, p, &path, &prefix) ||
        !safetensors_open(&st, arena_str(&r->scratch, path).p, &ignored)) {
        diag_clear(&ignored);
        return;
    }
    uint32_t checked = 0, number = 0, wrong = 0;
    for (uint32_t i = 0; i < run->noutputs; i++) {
        if (!run->outputs[i])
            continue; /* recorded outputs are numbered without the Nones */
        Str name =
            arena_printf(&r->scratch, "%.*s%sout/%u", STR(prefix), prefix.n ? "/" : "", number++);
        const TensorView *v = safetensors_find(&st, name);
        Comparison c = {0};
        if (!v)
            continue;
        checked++;
        if (same_as_recorded(v, run->outputs[i], &c))
            continue;
        wrong++;
        say(r, "%soutput %u is not as recorded%s: %lld of %lld element%s differ, by at most %.3g",
            prose_style(r, STYLE_error), number - 1, prose_style(r, STYLE_none), (long long)c.wrong,
            (long long)c.total, plural(c.total), c.max_abs);
    }
    r->as_recorded = !checked ? 0 : wrong ? -1 : 1;
    if (checked && !wrong)
        say(r, "outputs are %sas recorded%s in %.*s", prose_style(r, STYLE_good),
            prose_style(r, STYLE_none), STR(base_name(path)));
    safetensors_close(&st);
}

enum { WORTH_TELLING_NS = 20 * 1000 * 1000 };

void show_run(Repl *r, Program *p, const Stage *st, const Run *run, bool quiet,
              bool check)
{
    if (!quiet)
        show_outputs(r, st, run);
    StrBuf more = {0};
    if (run->played)
        sb_puts(&more, ", recorded before");
    if (run->once_ns * 2 > run->ns && run->once_ns > WORTH_TELLING_NS)
        sb_printf(&more, ", %.0f ms of it only this time (profile --first)",
                  (double)run->once_ns * 1e-6);
    say(r, "%sran stage %.*s in %.3f ms%s%s", prose_style(r, STYLE_dim), STR(st->name),
        (double)run->ns * 1e-6, sb_cstr(&more), prose_style(r, STYLE_none));
    sb_free(&more);
    r->as_recorded = 0;
    if (check)
        check_recorded(r, p, run);
}

bool cmd_run(Repl *r, const Args *a)
{
    Program *p = current(r);
    ExecList list;
    RunOptions o = {.rounding = arg_flag(a, "--f64") ? ROUND_f64 : ROUND_dtype};
    Run run = {0};
    const Stage *st = a->n ? find_stage(r, p, a->words[0]) : program_cursor(p);
    if (!st || !executors_option(r, a, &list, &o.executors))
        return false;
    if (!debug_run(r, p, st, &o, &run))
        return false;
    if (!run.t)
        return !r->check_failed; /* it has stopped */
    show_run(r, p, st, &run, arg_flag(a, "-q"), o.rounding == ROUND_dtype);
    run_free(&run);
    return true;
}

/* -------------------------------------------------------------------------------------- print */

bool cmd_print(Repl *r, const Args *a)
{
    Program *p = current(r);
    if (!a->n)
        return usage_error(r, a, "print needs a value or an expression");
    StrBuf text = {0};
    for (uint32_t i = 0; i < a->n; i++)
        sb_printf(&text, "%s%.*s", i ? " " : "", STR(a->words[i]));
    Rounding rounding = arg_flag(a, "--f64") ? ROUND_f64 : ROUND_dtype;
    Tensor *t = evaluate(r, p, looked_at(r), sb_str(&text), rounding);
    if (t)
        show_tensor(r, sb_cstr(&text), t);
    tensor_unref(t);
    sb_free(&text);
    return t != NULL;
}

/* -------------------------------------------------------------------------------------- stats */

typedef struct Stats {
    int64_t n, nan, inf, zero, subnormal;
    double min, max, sum, sum2, max_abs;
} Stats;

static double element(const char *at, DType d)
{
    double c[2];
    if (!dtype_is_complex(d))
        return elem_get_f64(at, d);
    elem_get_c128(at, d, c);
    return hypot(c[0], c[1]);
}

static Stats measure(const Tensor *dense)
{
    Stats s = {.min = INFINITY, .max = -INFINITY};
    DType d = dense->dtype;
    const char *at = tensor_data(dense);
    double normal = dtype_smallest_normal(d);
    s.n = tensor_numel(dense);
    for (int64_t i = 0; i < s.n; i++, at += dtype_info[d].bytes) {
        double v = element(at, d);
        s.nan += isnan(v);
        s.inf += isinf(v);
        s.zero += v == 0;
        s.subnormal += v != 0 && fabs(v) < normal;
        if (isnan(v) || isinf(v))
            continue;
        s.min = v < s.min ? v : s.min;
        s.max = v > s.max ? v : s.max;
        s.sum += v;
        s.sum2 += v * v;
    }
    return s;
}

static void number_cell(Table *t, int64_t finite, double v)
{
    if (finite > 0)
        cell(t, STYLE_none, "%.3g", v);
    else
        cell(t, STYLE_dim, "-");
}

static void count_cell(Table *t, int64_t n, Style s)
{
    cell(t, n ? s : STYLE_dim, "%lld", (long long)n);
}

enum { LONG_NAME = 24 };

static void stats_row(Table *t, Str name, Tensor *tensor)
{
    Tensor *dense = tensor_contiguous(tensor);
    Stats s = measure(dense);
    int64_t finite = s.n - s.nan - s.inf;
    double mean = finite ? s.sum / (double)finite : 0;
    double variance = finite ? s.sum2 / (double)finite - mean * mean : 0;
    StrBuf type = {0}, label = {0};
    tensor_type(tensor, &type);
    size_t space = str_find(sb_str(&type), ' ', 0);
    if (name.n > LONG_NAME && t->r->out.mode == MODE_table && !t->r->out.wide)
        label_name(name, LONG_NAME, &label); /* as the model calls it */
    else
        sb_printf(&label, "%%%.*s", STR(name));
    cell_str(t, STYLE_none, sb_str(&label));
    sb_free(&label);
    cell_str(t, STYLE_type, str_sub(sb_str(&type), space + 1, type.n));
    number_cell(t, finite, s.min);
    number_cell(t, finite, s.max);
    number_cell(t, finite, mean);
    number_cell(t, finite, sqrt(variance > 0 ? variance : 0));
    count_cell(t, s.zero, STYLE_none);
    count_cell(t, s.subnormal, STYLE_warn);
    count_cell(t, s.nan, STYLE_error);
    count_cell(t, s.inf, STYLE_error);
    sb_free(&type);
    tensor_unref(dense);
}

enum { BINS = 16, BAR = 40 };

static void histogram(Repl *r, Str name, Tensor *tensor)
{
    Tensor *dense = tensor_contiguous(tensor);
    Stats s = measure(dense);
    int64_t bins[BINS] = {0}, most = 1;
    double width = (s.max - s.min) / BINS;
    const char *at = tensor_data(dense);
    if (s.n > s.nan + s.inf && width > 0) {
        for (int64_t i = 0; i < s.n; i++, at += dtype_info[dense->dtype].bytes) {
            double v = element(at, dense->dtype);
            int bin = isfinite(v) ? (int)((v - s.min) / width) : -1;
            if (bin >= 0)
                bins[bin < BINS ? bin : BINS - 1]++;
        }
        for (int i = 0; i < BINS; i++)
            most = bins[i] > most ? bins[i] : most;
        Table t = table_begin(r, "bin", "from#,count#,histogram");
        for (int i = 0; i < BINS; i++) {
            StrBuf bar = {0};
            for (int64_t k = 0; k < bins[i] * BAR / most; k++)
                sb_putc(&bar, '#');
            cell(&t, STYLE_none, "%.4g", s.min + i * width);
            cell(&t, STYLE_none, "%lld", (long long)bins[i]);
            cell_str(&t, STYLE_op, sb_str(&bar));
            sb_free(&bar);
        }
        table_end(&t);
    } else {
        say(r, "%%%.*s has no spread to draw", STR(name));
    }
    tensor_unref(dense);
}

static bool stats_one(Repl *r, Table *t, const Stage *st, const Run *run, Str word, bool hist)
{
    ValueId v = find_value(r, st->trace, word);
    if (!v)
        return false;
    Str name = st->trace->values[v].name;
    Tensor *x = run->values[v] ? tensor_ref(run->values[v])
                               : inner_value(r, st->trace, run->values, v);
    if (!x) {
        fail_with(r, DIAG_usage, "not-computed", "%%%.*s has no value at stage %.*s", STR(name),
                  STR(st->name));
        fail_help(r, "history %%%.*s", STR(name));
        return false;
    }
    if (hist)
        histogram(r, name, x);
    else
        stats_row(t, name, x);
    tensor_unref(x);
    return true;
}

bool cmd_stats(Repl *r, const Args *a)
{
    Program *p = current(r);
    const Stage *st = program_cursor(p);
    const Run *run = values_of(r, p, st, NULL, arg_flag(a, "--f64") ? ROUND_f64 : ROUND_dtype);
    if (!run)
        return false;
    bool ok = true;
    Table t =
        table_begin(r, "stats", "value<,type,min#,max#,mean#,std#,zeros#,subnormal#~,nan#~,inf#~");
    for (uint32_t i = 0; i < a->n && ok; i++)
        ok = stats_one(r, &t, st, run, a->words[i], false);
    for (ValueId v = 1; v < run->t->nvalues && !a->n; v++) {
        if (run->values[v] && run->t->values[v].type.kind == VALUE_tensor)
            stats_row(&t, run->t->values[v].name, run->values[v]);
    }
    table_end(&t);
    for (uint32_t i = 0; i < a->n && ok && arg_flag(a, "-h"); i++)
        ok = stats_one(r, NULL, st, run, a->words[i], true);
    return ok;
}

/* ------------------------------------------------------------------------------------- replay */

static void replay_line(void *user, Str line)
{
    Repl *r = user;
    progress_end(r);
    data_lines(r, "case", line);
    out_flush(r);
}

static void replay_progress(void *user, Str what, uint64_t done, uint64_t total)
{
    Repl *r = user;
    progress(r, arena_printf(&r->scratch, "replay %.*s", STR(what)).p, done, total);
}

bool cmd_replay(Repl *r, const Args *a)
{
    ExecList list;
    ReplayOptions o = {.grad = arg_flag(a, "--grad"),
                       .all_stages = arg_flag(a, "--all-stages"),
                       .probe = arg_flag(a, "--probe"),
                       .strict = arg_flag(a, "--strict"),
                       .rejects = arg_flag(a, "--rejects"),
                       .verbose = arg_flag(a, "-v"),
                       .rtol = -1,
                       .atol = -1,
                       .report = replay_line,
                       .progress = replay_progress,
                       .user = r};
    ReplayResult result = {0};
    if (!a->n)
        return usage_error(r, a, "replay needs files or folders");
    if (!executors_option(r, a, &list, &o.executors) || 
        !option_real(r, a, "--rtol", INFINITY, &o.rtol) ||
        !option_real(r, a, "--atol", INFINITY, &o.atol))
        return false;
    arg_option(a, "--known", &o.known);
    if (!session_replay(r->session, a->words, a->n, &o, &result, &r->diag))
        return false;
    if (r->out.mode == MODE_json) {
        Table t = record_begin(r, "replay", "passed#,failed#,skipped#,known#");
        cell(&t, STYLE_none, "%llu", (unsigned long long)result.passed);
        cell(&t, STYLE_none, "%llu", (unsigned long long)result.failed);
        cell(&t, STYLE_none, "%llu", (unsigned long long)result.skipped);
        cell(&t, STYLE_none, "%llu", (unsigned long long)result.known);
        table_end(&t);
    } else {
        dataf(r, "%llu passed, %llu failed, %llu skipped", (unsigned long long)result.passed,
              (unsigned long long)result.failed, (unsigned long long)result.skipped);
        if (o.known.n || result.known)
            dataf(r, ", %llu known", (unsigned long long)result.known);
        dataf(r, "\n");
    }
    r->check_failed = result.failed > 0;
    return !r->check_failed;
}
