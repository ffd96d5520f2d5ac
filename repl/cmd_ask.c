/*
 * cmd_ask.c - questions: info, why, history, examine, ops. Those that walk the graph: cmd_find.c.
 */
#include "repl.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- info */

static void add_names(const Trace *t, const ValueId *ids, uint32_t n, StrBuf *out)
{
    enum { MOST = 12 };
    for (uint32_t i = 0; i < n && i < MOST; i++)
        sb_printf(out, "%s%%%.*s", i ? " " : "", STR(t->values[ids[i]].name));
    if (n > MOST)
        sb_printf(out, " and %u more", n - MOST);
}

static void users_text(const Trace *t, ValueId v, StrBuf *out)
{
    enum { MOST = 12 };
    uint32_t n = 0;
    for_top(t, i) {
        ValueId outs[MAX_OUTPUTS];
        if ((t->nodes[i].op->flags & OP_CONTROL) || !node_reads(&t->nodes[i], v) || n++ >= MOST)
            continue;
        uint32_t k = arg_values(t->nodes[i].out, outs, MAX_OUTPUTS);
        sb_printf(out, "%s%s", out->n ? ", " : "", t->nodes[i].op->name);
        if (k)
            sb_printf(out, " -> %%%.*s", STR(t->values[outs[0]].name));
    }
    if (n > MOST)
        sb_printf(out, ", and %u more", n - MOST);
}

static void origins_text(const Trace *t, ValueId v, StrBuf *out)
{
    uint32_t n;
    ValueId self[1];
    const ValueId *ids = value_origins(t, v, &n, self);
    if (n != 1 || ids[0] != v)
        add_names(t, ids, n, out);
}

/* Where in the model, or in the text of the trace, node n stands; "" = not known. */
static void source_text(const Trace *t, NodeId n, StrBuf *out)
{
    const SrcLoc *loc = n != NO_NODE ? t->nodes[n].loc : NULL;
    if (loc && loc->line)
        sb_printf(out, "%.*s:%u %.*s", STR(loc->file), loc->line, STR(loc->code));
    else if (n != NO_NODE && t->nodes[n].src.src)
        sb_printf(out, "%.*s:%u", STR(t->nodes[n].src.src->name),
                  span_place(t->nodes[n].src).line);
}

static bool info_value(Repl *r, Program *p, Str word)
{
    const Stage *st = program_cursor(p);
    const Trace *t = st->trace;
    ValueId v = find_value(r, t, word);
    if (!v)
        return false;
    const Value *value = &t->values[v];
    NodeId n = top_node_of(t, v);
    StrBuf type = {0}, users = {0}, origins = {0}, made = {0}, source = {0};
    PrintOptions o = {.depth = 0};
    type_print(&value->type, &value->known, &type);
    users_text(t, v, &users);
    origins_text(t, v, &origins);
    if (n != NO_NODE)
        node_print(t, n, &o, &made);
    source_text(t, n, &source);
    Table info = record_begin(
        r, "info", "value,type,stage,made by,used by,stands for,source,executor,offset#,bytes#");
    cell(&info, STYLE_head, "%%%.*s", STR(value->name));
    cell_str(&info, STYLE_none, sb_str(&type));
    cell_str(&info, STYLE_none, st->name);
    if (n != NO_NODE)
        cell_str(&info, STYLE_none, str_trim(sb_str(&made)));
    else
        cell(&info, STYLE_none, "%s", trace_is_input(t, v) ? "an input" : "nothing at this stage");
    cell(&info, STYLE_none, "%s", users.n ? sb_cstr(&users) : "nothing");
    cell_str(&info, STYLE_none, sb_str(&origins));
    cell_str(&info, STYLE_none, sb_str(&source));
    cell(&info, STYLE_none, "%s", n != NO_NODE && t->nodes[n].executor ? t->nodes[n].executor : "");
    if (value->offset >= 0 && t->plan_bytes >= 0)
        cell(&info, STYLE_none, "%lld", (long long)value->offset);
    else
        cell(&info, STYLE_none, "%s", "");
    cell(&info, STYLE_none, "%lld", (long long)type_bytes(&value->type));
    table_end(&info);
    sb_free(&type);
    sb_free(&users);
    sb_free(&origins);
    sb_free(&made);
    sb_free(&source);
    return true;
}

static void facts_text(uint32_t flags, StrBuf *out)
{
    for (uint32_t bit = 0; op_fact_name(bit); bit++) {
        if (flags & (1u << bit))
            sb_printf(out, "%s%s", out->n ? ", " : "", op_fact_name(bit));
    }
}

static void info_op(Repl *r, const Op *op)
{
    StrBuf name = {0}, facts = {0}, kind = {0};
    op_qualified_name(op, &name);
    facts_text(op->flags, &facts);
    sb_puts(&kind, op->language == LANG_prims ? "a prim"
                   : op->decompose            ? "a composite"
                                              : "opaque");
    Table t = record_begin(r, "op", "operator,signature,about,kind,facts,spellings");
    cell_str(&t, STYLE_head, sb_str(&name));
    cell(&t, STYLE_none, "%s(%.*s)", op->name, STR(op->sig.text));
    cell(&t, STYLE_none, "%s", op->help ? op->help : "");
    cell_str(&t, STYLE_none, sb_str(&kind));
    cell_str(&t, STYLE_none, sb_str(&facts));
    cell(&t, STYLE_none, "%s", op->spellings ? op->spellings : "");
    table_end(&t);
    sb_free(&name);
    sb_free(&facts);
    sb_free(&kind);
}

static void info_program(Repl *r, Program *p)
{
    const Stage *st = program_cursor(p);
    const Trace *t = st->trace;
    const Source *src = program_source(p);
    Cost cost = trace_cost(t);
    StrBuf moved = {0}, peak = {0};
    uint32_t top = 0, parameters = 0;
    for_top(t, i)
        top++;
    for (uint32_t i = 0; i < t->ninputs; i++)
        parameters += (t->values[t->inputs[i]].flags & VF_PARAMETER) != 0;
    sb_bytes(&moved, cost.bytes_moved);
    sb_bytes(&peak, (double)cost.peak);
    Table info = record_begin(
        r, "info", "program,file,stage,inputs#,parameters#,nodes#,flops#,moves,peak,plan bytes#");
    cell_str(&info, STYLE_head, program_name(p));
    cell_str(&info, STYLE_none, src ? src->name : (Str){0});
    cell_str(&info, STYLE_none, st->name);
    cell(&info, STYLE_none, "%u", t->ninputs);
    cell(&info, STYLE_none, "%u", parameters);
    cell(&info, STYLE_none, "%u", top);
    cell(&info, STYLE_none, "%.6g", cost.flops);
    cell_str(&info, STYLE_none, sb_str(&moved));
    cell_str(&info, STYLE_none, sb_str(&peak));
    if (t->plan_bytes >= 0)
        cell(&info, STYLE_none, "%lld", (long long)t->plan_bytes);
    else
        cell(&info, STYLE_none, "%s", "");
    table_end(&info);
    sb_free(&moved);
    sb_free(&peak);
}

/* The operator of a node, or its kernel. */
static void maker_text(const Trace *t, NodeId n, StrBuf *out)
{
    if (t->nodes[n].op->id == PRIM_call)
        sb_add(out, arg_str(t->nodes[n].args[0]));
    else
        op_qualified_name(t->nodes[n].op, out);
}

/* "%t12 prims.matmul": with its first result. */
static void reader_text(const Trace *t, NodeId n, StrBuf *out)
{
    const Node *node = &t->nodes[n];
    ValueId first;
    if (node->op->id == PRIM_end_forward) {
        sb_puts(out, "the results");
        return;
    }
    if (arg_values(node->out, &first, 1))
        sb_printf(out, "%%%.*s ", STR(t->values[first].name));
    maker_text(t, n, out);
}

static void say_kept(Repl *r, int64_t bytes)
{
    StrBuf size = {0};
    if (bytes >= 1024) {
        sb_bytes(&size, (double)bytes);
        sb_printf(&size, " (%lld bytes)", (long long)bytes);
    } else {
        sb_printf(&size, "%lld byte%s", (long long)bytes, plural(bytes));
    }
    say(r, "%s are kept for the backward part, inputs not counted", sb_cstr(&size));
    sb_free(&size);
}

/* Whether pass join took the boundary out on the way to stage st. */
static bool is_joined(const Stage *st)
{
    if (trace_end_of_forward(st->trace) != NO_NODE)
        return false;
    for (st = st->parent; st; st = st->parent)
        if (trace_end_of_forward(st->trace) != NO_NODE)
            return true;
    return false;
}

/* What the backward part of the cursor's stage needs of the forward part. */
static void info_saved(Repl *r, Program *p)
{
    const Trace *t = program_cursor(p)->trace;
    Saved *saved;
    if (is_joined(program_cursor(p))) {
        say(r, "the two parts are one here; goto remat lists what is kept between them");
        return;
    }
    uint32_t n = trace_saved(t, &saved);
    int64_t kept = 0;
    Table table = table_begin(r, "saved", "value,type,bytes#,input?,made by,needed by");
    for (uint32_t i = 0; i < n; i++) {
        const Value *v = &t->values[saved[i].v];
        StrBuf type = {0}, op = {0}, maker = {0};
        bool input = trace_is_input(t, saved[i].v);
        if (!input)
            maker_text(t, v->producer, &maker);
        kept += input ? 0 : saved[i].bytes;
        type_print(&v->type, &v->known, &type);
        reader_text(t, saved[i].reader, &op);
        cell(&table, STYLE_none, "%%%.*s", STR(v->name));
        cell_str(&table, STYLE_type, sb_str(&type));
        cell(&table, STYLE_none, "%lld", (long long)saved[i].bytes);
        cell(&table, STYLE_none, "%s", input ? "yes" : "no");
        cell_str(&table, STYLE_none, input ? S("the caller") : sb_str(&maker));
        cell_str(&table, STYLE_none, sb_str(&op));
        sb_free(&type);
        sb_free(&op);
        sb_free(&maker);
    }
    table_end(&table);
    free(saved);
    if (n == 0 && trace_facts(t))
        say(r, "nothing is listed here for the backward part; goto split lists what it needs");
    else if (n == 0)
        say(r, "no backward part at this stage; grad all makes one");
    else
        say_kept(r, kept);
}

bool cmd_info(Repl *r, const Args *a)
{
    Program *p = current(r);
    if (!a->n) {
        if (!p)
            return no_program(r, "info");
        info_program(r, p);
        return true;
    }
    Str word = a->words[0];
    if (str_is(word, "break") || str_is(word, "watch") || str_is(word, "breakpoints")) {
        show_breaks(r);
        return true;
    }
    if (p && str_is(word, "saved")) {
        info_saved(r, p);
        return true;
    }
    bool is_value = p && (word.p[0] == '%' || trace_find_value(program_cursor(p)->trace, word));
    const Op *op = is_value ? NULL : find_operator(r, word);
    if (op) {
        info_op(r, op);
        return true;
    }
    if (is_value || (p && nearest_value(r, program_cursor(p)->trace, word).n))
        return info_value(r, p, word);
    return no_operator(r, word);
}

/* ------------------------------------------------------------------------- why, history */

/* A value, or a kernel by its name, which is asked about as its first result. */
static ValueId value_or_kernel(Repl *r, Str word, StrBuf *out)
{
    Program *p = current(r);
    const Trace *t = program_cursor(p)->trace;
    bool value = trace_find_value(t, word) || word.p[0] == '%';
    const Stage *last = value ? NULL : find_stage(r, p, S("last"));
    NodeId n = last ? session_kernel_node(last, word) : NO_NODE;
    ValueId v;
    if (n == NO_NODE || last->trace->nodes[n].op->id != PRIM_call ||
        !arg_values(last->trace->nodes[n].out, &v, 1))
        return find_value(r, t, word);
    sb_printf(out, "%.*s makes %.*s. ", STR(word), STR(last->trace->values[v].name));
    return v;
}

static bool why_or_why_not(Repl *r, const Args *a, bool not )
{
    Program *p = current(r);
    uint32_t first = not ? 1 : 0, n = a->n - first;
    if (n < 1 || n > 2 || (not &&n != 2))
        return usage_error(r, a, not ? "why not needs two values" : "why needs one or two values");
    StrBuf b = {0};
    ValueId v = value_or_kernel(r, a->words[first], &b);
    ValueId w = v && n == 2 ? value_or_kernel(r, a->words[first + 1], &b) : 0;
    bool good = v && (n == 1 || w);
    if (good && v == w) {
        good = usage_error(r, a, "%.*s and itself are one value", STR(a->words[first]));
    } else if (good) {
        if (not )
            why_not(r->session, p, v, w, &b);
        else if (n == 2)
            why_pair(r->session, p, v, w, &b);
        else
            why_value(r->session, p, v, &b);
        data_sentences(r, "why", sb_str(&b));
    }
    sb_free(&b);
    return good;
}

/* "why WORD %v": a question of its own. */
static bool why_by(Repl *r, const Args *a,
                   void (*ask)(Session *s, Program *p, ValueId v, StrBuf *out))
{
    StrBuf b = {0};
    ValueId v = value_or_kernel(r, a->words[1], &b);
    if (v) {
        ask(r->session, current(r), v, &b);
        data_sentences(r, "why", sb_str(&b));
    }
    sb_free(&b);
    return v != 0;
}

bool cmd_why(Repl *r, const Args *a)
{
    bool question = a->n && (str_is(a->words[0], "saved") || str_is(a->words[0], "recomputed") ||
                             str_is(a->words[0], "executor"));
    if (!a->n || (a->n == 1 && question &&
                  !trace_find_value(program_cursor(current(r))->trace, a->words[0])))
        return usage_error(r, a, "why needs a value");
    if (a->n == 2 && (str_is(a->words[0], "saved") || str_is(a->words[0], "recomputed")))
        return why_by(r, a, why_saved);
    if (a->n == 2 && str_is(a->words[0], "executor"))
        return why_by(r, a, why_executor);
    return why_or_why_not(r, a, str_is(a->words[0], "not"));
}

bool cmd_history(Repl *r, const Args *a)
{
    Program *p = current(r);
    StrBuf b = {0};
    int64_t line;
    if (a->n == 2 && str_is(a->words[0], "line")) {
        if (!arg_number(r, a, 1, 0, 1, &line))
            return false;
        history_line(r->session, p, (uint32_t)line, &b);
    } else if (a->n == 1) {
        ValueId v = find_value(r, program_cursor(p)->trace, a->words[0]);
        if (!v)
            return false;
        history_value(r->session, p, v, &b);
    } else {
        return usage_error(r, a, "history needs a value, or line N");
    }
    data_sentences(r, "history", sb_str(&b));
    sb_free(&b);
    return true;
}

/* ------------------------------------------------------------------------------- examine, ops */

bool cmd_examine(Repl *r, const Args *a)
{
    Program *p = current(r);
    const Source *src = p ? program_source(p) : NULL;
    if (!a->n && (!src || !src->name.n))
        return usage_error(r, a, "examine needs a file: no program from a file is loaded");
    ExamineOptions o = {.json = arg_flag(a, "--json") || r->out.mode == MODE_json,
                        .html = arg_flag(a, "--html")};
    StrBuf b = {0};
    bool ok = session_examine(r->session, a->n ? a->words[0] : src->name, &o, &b, &r->diag);
    if (o.json || o.html)
        data(r, sb_str(&b));
    else
        data_sentences(r, "examine", sb_str(&b));
    sb_free(&b);
    return ok;
}

typedef struct OpCount {
    const Op *op;
    uint32_t n;
} OpCount;

static int by_count(const void *a, const void *b)
{
    const OpCount *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return strcmp(x->op->name, y->op->name);
}

static void count_ops(Repl *r, const Trace *t)
{
    Map seen = {0};
    OpCount *counts = new_array(&r->scratch, OpCount, t->nnodes + 1);
    uint32_t n = 0;
    StrBuf name = {0};
    for_top(t, i) {
        bool is_new;
        sb_clear(&name);
        op_qualified_name(t->nodes[i].op, &name);
        MapEntry *e = map_put(&seen, sb_str(&name), &is_new);
        if (is_new) {
            e->u = n;
            counts[n++] = (OpCount){t->nodes[i].op, 0};
        }
        counts[e->u].n++;
    }
    map_free(&seen);
    qsort(counts, n, sizeof *counts, by_count);
    Table table = table_begin(r, "op", "count#,operator,facts,about");
    for (uint32_t i = 0; i < n; i++) {
        StrBuf facts = {0};
        sb_clear(&name);
        op_qualified_name(counts[i].op, &name);
        facts_text(counts[i].op->flags, &facts);
        cell(&table, STYLE_value, "%u", counts[i].n);
        cell_str(&table, STYLE_op, sb_str(&name));
        cell_str(&table, STYLE_dim, sb_str(&facts));
        cell(&table, STYLE_none, "%s", counts[i].op->help ? counts[i].op->help : "");
        sb_free(&facts);
    }
    table_end(&table);
    sb_free(&name);
}

/* Lines of text within the screen, each continued at its own indentation. */
static void show_card(Repl *r, Str text)
{
    while (text.n) {
        Str line = str_cut(&text, '\n');
        uint32_t indent = 0;
        while (indent < line.n && line.p[indent] == ' ')
            indent++;
        data_wrapped(r, indent, str_sub(line, indent, SIZE_MAX));
    }
}

bool describe_operators(Repl *r, Str word)
{
    const Registry *reg = session_registry(r->session);
    const Op *exact = registry_find(reg, word);
    const Spelling *s = exact ? NULL : registry_lookup(reg, word);
    StrBuf card = {0};
    bool any = false;
    for (uint32_t i = 0; i < reg->n; i++) {
        const Op *op = reg->ops[i];
        bool spelled = exact ? op == exact : str_is(word, op->name);
        for (const Spelling *k = s; k && !spelled; k = k->next)
            spelled = k->op == op;
        if (!spelled)
            continue;
        sb_clear(&card);
        op_describe(reg, session_executors(r->session), op, &card);
        if (any)
            data(r, S("\n"));
        show_card(r, sb_str(&card));
        any = true;
    }
    sb_free(&card);
    return any;
}

/* The operators that fit pattern ("" = all) as a table; false when there is none. */
static bool operators_table(Repl *r, Str pattern)
{
    const Registry *reg = session_registry(r->session);
    Table t = table_begin(r, "op", "operator,signature,about");
    StrBuf name = {0};
    for (uint32_t i = 0; i < reg->n; i++) {
        const Op *op = reg->ops[i];
        sb_clear(&name);
        op_qualified_name(op, &name);
        if (pattern.n && !pattern_matches(sb_str(&name), pattern) &&
            !pattern_matches(str_from(op->name), pattern))
            continue;
        cell_str(&t, STYLE_op, sb_str(&name));
        sb_clear(&name);
        sb_putc(&name, '(');
        signature_print(&op->sig, &name);
        cell(&t, STYLE_none, "%s)", sb_cstr(&name));
        cell(&t, STYLE_dim, "%s", op->help ? op->help : "");
    }
    sb_free(&name);
    bool any = t.n > 0;
    if (any)
        table_end(&t);
    return any;
}

bool cmd_ops(Repl *r, const Args *a)
{
    if (arg_flag(a, "--manual")) {
        StrBuf text = {0};
        operators_manual(session_registry(r->session), session_executors(r->session), &text);
        data(r, sb_str(&text));
        sb_free(&text);
        return true;
    }
    if (!a->n && current(r)) {
        count_ops(r, program_cursor(current(r))->trace);
        return true;
    }
    Str pattern = a->n ? a->words[0] : S("");
    bool any = operators_table(r, pattern);
    bool read_by_a_person = r->out.mode == MODE_table || r->out.mode == MODE_plain;
    if (a->n && read_by_a_person && describe_operators(r, pattern))
        return true;
    if (!any)
        say(r, "no operator matches '%.*s'", STR(pattern));
    return true;
}
