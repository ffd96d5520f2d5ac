/* check_viz.c - promises of viz: labels, pictures of traces, their files, drawings in the
 * terminal. */
#include "support.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "picture.h"

/* Each test gets an unfinished trace f(x: f32[2, 3], w: f32[2, 3] a parameter). */
static Registry reg;
static Diag diag;
static Trace *t;
static Build b;
static ValueId x, w;
static StrBuf out, note;
static char path[64];

static void setup(void)
{
    static const int64_t shape[] = {2, 3};
    registry_init(&reg);
    t = trace_new(&reg, S("f"));
    Type type = type_tensor(t, DT_f32, (Device){DEV_cpu, 0}, 2, shape);
    x = trace_add_input(t, type, S("x"));
    w = trace_add_input(t, type, S("L_self_modules_fc_parameters_weight_"));
    t->values[w].flags |= VF_PARAMETER;
    b = (Build){.t = t, .diag = &diag};
    snprintf(path, sizeof path, "/tmp/check_viz.%d", (int)getpid());
}

static void teardown(void)
{
    trace_unref(t);
    registry_free(&reg);
    diag_clear(&diag);
    sb_free(&out);
    sb_free(&note);
    remove(path);
}

static ValueId binary(enum PrimId id, ValueId v, ValueId u)
{
    const Arg args[] = {A_VALUE(v), A_VALUE(u)};
    return prim_call(&b, id, args, 2).v;
}

static ValueId unary(enum PrimId id, ValueId v)
{
    const Arg args[] = {A_VALUE(v)};
    return prim_call(&b, id, args, 1).v;
}

static void finish(ValueId v)
{
    t->output = A_VALUE(v);
    trace_finish(t);
    ck_no_errors(&diag);
}

/* y = exp(x); z = y * w; out = z + y */
static ValueId small_program(void)
{
    ValueId y = unary(PRIM_exp, x), z = binary(PRIM_mul, y, w), last = binary(PRIM_add, z, y);
    finish(last);
    return y;
}

static void long_chain(uint32_t n)
{
    ValueId v = x;
    for (uint32_t i = 0; i < n; i++)
        v = unary(i % 7 ? PRIM_exp : PRIM_neg, v);
    finish(v);
}

static const char *file_text(const char *ending)
{
    size_t n = strlen(path);
    snprintf(path + n, sizeof path - n, "%s", ending);
    GraphOptions o = {0};
    bool ok = graph_write(t, &o, path, &note, &diag);
    ck_no_errors(&diag);
    ck_assert(ok);
    add_file(path, &out);
    return sb_cstr(&out);
}

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t n = 0;
    for (const char *p = strstr(text, part); p; p = strstr(p + 1, part))
        n++;
    return n;
}

/* Widest line in characters, colour sequences not counted. */
static size_t widest(const char *text)
{
    size_t width = 0, most = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '\033') {
            p = strchr(p, 'm');
            continue;
        }
        width = *p == '\n' ? 0 : width + (((unsigned char)*p & 0xC0) != 0x80);
        most = width > most ? width : most;
    }
    return most;
}

/* ------------------------------------------------------------------------------------ labels */

START_TEST(names_of_torch_modules_become_paths)
{
    static const struct {
        const char *name, *shown;
    } rows[] = {
        {"L_self_modules_fc_parameters_weight_", "fc.weight"},
        {"l_s_modules_b_modules_0_modules_l1_parameters_bias_", "b.0.l1.bias"},
        {"L_self_buffers_running_mean_", "running_mean"},
        {"L_x_", "x"},
        {"t12", "t12"},
        {"p_fc_weight", "p_fc_weight"},
        {"L_self_modules_transformer_modules_h_modules_11_modules_attn_parameters_weight_",
         "…mer.h.11.attn.weight"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        sb_clear(&out);
        label_name(str_from(rows[i].name), 21, &out);
        ck_text(sb_str(&out), rows[i].shown);
    }
}
END_TEST

START_TEST(cut_text_counts_characters)
{
    label_cut(S("é→é→é"), 5, &out);
    ck_text(sb_str(&out), "é→é→é");
    sb_clear(&out);
    label_cut(S("é→é→é"), 3, &out);
    ck_text(sb_str(&out), "é→…");
    ck_assert_uint_eq(utf8_length(S("é→…x")), 4);
}
END_TEST

START_TEST(counts_have_commas)
{
    label_count(0, &out);
    sb_putc(&out, ' ');
    label_count(999, &out);
    sb_putc(&out, ' ');
    label_count(1000, &out);
    sb_putc(&out, ' ');
    label_count(4294967295u, &out);
    ck_text(sb_str(&out), "0 999 1,000 4,294,967,295");
}
END_TEST

START_TEST(every_operator_has_a_style)
{
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        const Op *op = registry_op(&reg, id);
        StyleId style = style_of(t, trace_add_node(t, (Node){.op = op, .span = 1}));
        uint32_t coloured = OP_MATMUL | OP_REDUCTION | OP_RANDOM | OP_INDEXING | OP_CREATION;
        ck_assert_msg(style < STYLE_input, "%s", op->name);
        ck_assert_msg(styles[style].facts & op->flags || style == STYLE_other, "%s", op->name);
        ck_assert_msg(!(op->flags & coloured) || style != STYLE_other, "%s", op->name);
    }
}
END_TEST

static Arg softmax_like(Build *bb, const Arg *args)
{
    Arg e = emit(bb, exp, args[0]);
    Arg s = emit(bb, sum, e, arg_ints(bb->t, (int64_t[]){1}, 1));
    Arg whole = emit(bb, broadcast_in_dim, s, arg_ints(bb->t, (int64_t[]){2, 3}, 2),
                     arg_ints(bb->t, (int64_t[]){0}, 1));
    return emit(bb, div, e, whole);
}

static ValueId softmax(ValueId v)
{
    const Op *op = registry_find(&reg, S("ltorch.softmax_like"));
    static const OpRow row = {.name = "softmax_like", .signature = "a:T", .help = "",
                              .decompose = softmax_like};
    if (!op)
        op = registry_add(&reg, LANG_torch, &row, NULL, &diag);
    return op_call(&b, op, (const Arg[]){A_VALUE(v)}).v;
}

START_TEST(composites_look_like_what_they_contain)
{
    finish(softmax(x));
    ck_assert_int_eq(style_of(t, 0), STYLE_reduction);
    ck_assert_int_eq(style_of(t, 1), STYLE_elementwise);
    ck_assert_int_eq(style_of(t, 3), STYLE_shape);
}
END_TEST

/* ----------------------------------------------------------------------------------- pictures */

static Picture picture(GraphOptions o, uint32_t max_items, uint32_t ngroups)
{
    Picture p;
    picture_build(&p, t, &o, max_items, ngroups);
    for (uint32_t l = 0; l < p.nlinks; l++) {
        ck_assert_uint_lt(p.links[l].from, p.links[l].to); /* program order, so no cycle */
        ck_assert_uint_lt(p.links[l].to, p.nitems);
    }
    return p;
}

START_TEST(items_are_operators_inputs_and_outputs)
{
    small_program();
    Picture p = picture((GraphOptions){0}, 100, 10);
    uint32_t kinds[4] = {0};
    for (uint32_t i = 0; i < p.nitems; i++)
        kinds[p.items[i].kind]++;
    ck_assert_uint_eq(kinds[ITEM_op], 3);
    ck_assert_uint_eq(kinds[ITEM_input], 1); /* the parameter is named by its user */
    ck_assert_uint_eq(kinds[ITEM_output], 1);
    ck_assert_uint_eq(p.nlinks, 5);
    picture_free(&p);
}
END_TEST

START_TEST(a_value_used_twice_is_one_link)
{
    finish(binary(PRIM_mul, x, x));
    Picture p = picture((GraphOptions){0}, 100, 10);
    ck_assert_uint_eq(p.nlinks, 2);
    picture_free(&p);
}
END_TEST

START_TEST(depth_opens_composites_into_clusters)
{
    finish(unary(PRIM_exp, softmax(x)));
    Picture closed = picture((GraphOptions){0}, 100, 10);
    Picture open = picture((GraphOptions){.depth = 1}, 100, 10);
    ck_assert_uint_eq(closed.nops, 2);
    ck_assert_uint_eq(closed.nclusters, 0);
    ck_assert_uint_eq(open.nops, 5);
    ck_assert_uint_eq(open.nclusters, 1);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < open.nitems; i++)
        inside += open.items[i].cluster == 1;
    ck_assert_uint_eq(inside, 4);
    picture_dot(&open, true, &out);
    ck_contains(sb_cstr(&out), "subgraph cluster_1");
    picture_free(&closed);
    picture_free(&open);
}
END_TEST

START_TEST(neighbourhoods_stop_at_their_width)
{
    ValueId v[11] = {x};
    for (int i = 1; i < 11; i++)
        v[i] = unary(PRIM_exp, v[i - 1]);
    finish(v[10]);
    for (uint32_t width = 0; width < 4; width++) {
        Picture p = picture((GraphOptions){.around = v[5], .width = width}, 100, 10);
        ck_assert_uint_eq(p.nitems, 1 + 2 * width);
        uint32_t focused = 0;
        for (uint32_t i = 0; i < p.nitems; i++)
            focused += p.items[i].focus;
        ck_assert_uint_eq(focused, 1);
        picture_free(&p);
    }
}
END_TEST

START_TEST(a_parameter_that_is_asked_for_is_drawn)
{
    small_program();
    Picture p = picture((GraphOptions){.around = w, .width = 1}, 100, 10);
    ck_assert_uint_eq(p.nitems, 2);
    ck_assert_int_eq(p.items[0].style, STYLE_parameter);
    picture_free(&p);
}
END_TEST

START_TEST(paths_hold_what_lies_between)
{
    ValueId a = unary(PRIM_exp, x), left = unary(PRIM_sin, a), right = unary(PRIM_cos, a);
    ValueId joined = binary(PRIM_add, left, right), beside = unary(PRIM_tan, a);
    finish(binary(PRIM_mul, joined, beside));
    GraphOptions o = {.path_from = a, .path_to = joined};
    Picture p = picture(o, 100, 10);
    ck_assert_uint_eq(p.nitems, 4);
    ck_assert_uint_eq(p.nlinks, 4);
    picture_free(&p);
    GraphOptions back = {.path_from = joined, .path_to = a};
    p = picture(back, 100, 10);
    ck_assert_uint_eq(p.nitems, 0);
    picture_note(&p, &back, &note);
    ck_contains(sb_cstr(&note), "there is no path");
    picture_free(&p);
}
END_TEST

static uint32_t marked(const Picture *p, Mark mark)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nitems; i++)
        n += p->items[i].kind == ITEM_op && p->items[i].mark == mark;
    return n;
}

START_TEST(another_stage_marks_what_differs)
{
    ValueId y = small_program();
    Trace *u = trace_derive(t);
    Build bu = {.t = u, .diag = &diag};
    trace_copy_node(u, t, 0, NULL);
    Arg square = emit(&bu, sin, A_VALUE(y));                  /* only in u */
    ValueId *map = calloc(u->nvalues, sizeof *map);
    map[t->nodes[1].out.v] = square.v;                        /* the product is only in t */
    trace_copy_node(u, t, 2, map);                            /* the sum reads another value */
    trace_finish(u);
    free(map);
    Picture p;
    GraphOptions o = {.diff_with = t};
    picture_build(&p, u, &o, 100, 10);
    ck_assert_uint_eq(marked(&p, MARK_none), 1);
    ck_assert_uint_eq(marked(&p, MARK_added), 1);
    ck_assert_uint_eq(marked(&p, MARK_removed), 1);
    ck_assert_uint_eq(marked(&p, MARK_changed), 1);
    for (uint32_t i = 1; i < p.nitems; i++) /* the removed one stands where it was */
        if (p.items[i].mark == MARK_removed)
            ck_assert_int_eq(p.items[i - 1].mark, MARK_none);
    picture_note(&p, &o, &note);
    ck_contains(sb_cstr(&note), "1 only here, 1 only in the other stage, 1 different");
    picture_dot(&p, true, &out);
    picture_free(&p);
    o.diff_with = u;
    picture_build(&p, u, &o, 100, 10);
    ck_assert_uint_eq(marked(&p, MARK_none), 3);
    picture_free(&p);
    trace_unref(u);
}
END_TEST

START_TEST(large_programs_are_collapsed)
{
    long_chain(5000);
    Picture p = picture((GraphOptions){0}, 2000, 120);
    ck_assert(p.collapsed);
    ck_assert_uint_le(p.nitems, 122);
    ck_assert_uint_gt(p.nitems, 10);
    uint32_t n = 0, styled = 0;
    for (uint32_t i = 0; i < p.nitems; i++) {
        if (p.items[i].style >= STYLE_input)
            continue;
        n += p.items[i].count;
        for (int s = 0; s < STYLE_COUNT; s++)
            styled += p.items[i].counts[s];
    }
    ck_assert_uint_eq(n, 5000);
    ck_assert_uint_eq(styled, 5000);
    picture_note(&p, &(GraphOptions){0}, &note);
    ck_contains(sb_cstr(&note), "5,000 operators, too many to draw one by one: collapsed into");
    picture_free(&p);
}
END_TEST

START_TEST(groups_follow_the_source_lines)
{
    SrcLoc lines[20];
    ValueId v = x;
    for (uint32_t i = 0; i < 200; i++) {
        lines[i / 10] = (SrcLoc){.file = S("/m/model.py"), .func = S("forward"),
                                 .code = S("x = f(x)"), .line = 1 + i / 10};
        b.loc = &lines[i / 10];
        v = unary(PRIM_exp, v);
    }
    finish(v);
    Picture p = picture((GraphOptions){0}, 100, 50);
    ck_assert_uint_eq(p.nitems, 22);
    ck_text(p.items[1].title, "model.py:1 forward");
    ck_assert_uint_eq(p.items[1].count, 10);
    ck_assert_uint_eq(p.items[1].style, STYLE_elementwise); /* as what it holds */
    ck_assert_str_eq(p.grouping, "source line");
    picture_free(&p);
}
END_TEST

START_TEST(a_hundred_thousand_operators_take_little_time)
{
    long_chain(100000);
    clock_t start = clock();
    Picture p = picture((GraphOptions){0}, 2000, 120);
    picture_dot(&p, true, &out);
    ck_assert_uint_lt(out.n, 500000);
    picture_free(&p);
    graph_terminal(t, &(GraphOptions){0}, 80, false, &out, &note);
    GraphOptions near = {.around = t->output.v, .width = 3};
    graph_terminal(t, &near, 80, false, &out, &note);
    ck_assert_int_lt((clock() - start) / CLOCKS_PER_SEC, 5); /* bounded also under sanitizers */
}
END_TEST

/* -------------------------------------------------------------------------------------- files */

START_TEST(dot_files_name_operators_types_and_parameters)
{
    small_program();
    const char *text = file_text(".dot");
    ck_contains(text, "digraph \"f\"");
    ck_contains(text, "<B>exp</B>");
    ck_contains(text, "t0  f32[2, 3]");
    ck_contains(text, "fc.weight  f32[2, 3]");
    ck_contains(text, "tooltip=");
    ck_assert_uint_eq(count_of(text, " -> "), 5);
    ck_text(sb_str(&note), "3 operators");
}
END_TEST

START_TEST(pictures_of_a_trace_are_always_the_same)
{
    small_program();
    Picture one = picture((GraphOptions){0}, 100, 10), two = picture((GraphOptions){0}, 100, 10);
    picture_dot(&one, true, &out);
    picture_dot(&two, true, &note);
    ck_assert(str_eq(sb_str(&out), sb_str(&note)));
    picture_free(&one);
    picture_free(&two);
}
END_TEST

START_TEST(hostile_names_are_escaped)
{
    value_rename(t, unary(PRIM_exp, x), S("a\"<b>&\\\n"));
    t->name = S("f\"]; evil [");
    b.loc = &(SrcLoc){.file = S("<m>.py"), .func = S("f"), .code = S("a < b & c"), .line = 3};
    finish(unary(PRIM_exp, x));
    const char *text = file_text(".dot");
    ck_contains(text, "digraph \"f\\\"]; evil [\"");
    ck_contains(text, "a&quot;&lt;b&gt;&amp;\\ ");     /* on the card */
    ck_contains(text, "a\\\"<b>&\\\\\\n = prims.exp"); /* in the tooltip */
}
END_TEST

START_TEST(unknown_endings_are_refused)
{
    static const char *const bad[] = {"/tmp/graph", "/tmp/graph.jpeg", "/tmp/graph.", "svg"};
    small_program();
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        diag_clear(&diag);
        ck_assert(!graph_write(t, &(GraphOptions){0}, bad[i], &note, &diag));
        ck_error(&diag, "graph-format");
    }
    ck_assert_uint_eq(note.n, 0);
}
END_TEST

START_TEST(unwritable_files_are_an_error)
{
    small_program();
    ck_assert(!graph_write(t, &(GraphOptions){0}, "/nonexistent/a.dot", &note, &diag));
    ck_error(&diag, "cannot-write");
    ck_contains(diag.first->message.p, "No such file or directory");
}
END_TEST

#ifdef THUNDER_HAVE_GRAPHVIZ

START_TEST(svg_titles_are_statements_with_their_line)
{
    b.loc = &(SrcLoc){.file = S("model.py"), .func = S("forward"), .code = S("y = a < b & c"),
                      .line = 12};
    small_program();
    const char *text = file_text(".svg");
    ck_contains(text, "<svg");
    ck_contains(text, "</svg>");
    ck_contains(text, "model.py:12 in forward: y = a &lt; b &amp; c</title>");
    ck_contains(text, "<title>t0: f32[2, 3]</title>"); /* of a link */
    ck_assert_ptr_null(strstr(text, "<title>n0"));
    ck_assert_uint_eq(count_of(text, "<title>"), count_of(text, "</title>"));
}
END_TEST

START_TEST(png_and_pdf_are_what_they_say)
{
    small_program();
    ck_assert_int_eq(memcmp(file_text(".png"), "\x89PNG", 4), 0);
    remove(path);
    sb_clear(&out);
    ck_assert_int_eq(memcmp(file_text(".pdf") , "%PDF", 4), 0);
}
END_TEST

START_TEST(drawing_again_does_not_disturb)
{
    small_program();
    for (int i = 0; i < 3; i++) {
        sb_clear(&out);
        snprintf(path, sizeof path, "/tmp/check_viz.%d", (int)getpid());
        ck_contains(file_text(".svg"), "</svg>");
        remove(path);
    }
}
END_TEST

#else

START_TEST(without_graphviz_the_error_names_the_package)
{
    small_program();
    ck_assert(!graph_write(t, &(GraphOptions){0}, "/tmp/a.svg", &note, &diag));
    ck_error(&diag, "no-graphviz");
    ck_contains(diag.first->note.p, "libgraphviz-dev");
}
END_TEST

#endif

/* ----------------------------------------------------------------------------------- terminal */

START_TEST(terminal_draws_boxes_and_lines)
{
    small_program();
    graph_terminal(t, &(GraphOptions){0}, 60, false, &out, &note);
    ck_assert_str_eq(sb_cstr(&out),
                     "                ┌────────────────────────┐\n"
                     "                │ input x      f32[2, 3] │\n"
                     "                │ t0 = exp(x)  f32[2, 3] │\n"
                     "                └───────────┬────────────┘\n"
                     "                            ├───────────╮\n"
                     "┌───────────────────────────▼────────┐  │\n"
                     "│ t1 = mul(t0, fc.weight)  f32[2, 3] │  │\n"
                     "└─────────────────┬──────────────────┘  │\n"
                     "┌─────────────────▼─────────────────────▼┐\n"
                     "│ t2 = add(t1, t0)  f32[2, 3] → output 0 │\n"
                     "└────────────────────────────────────────┘\n");
}
END_TEST

START_TEST(terminal_keeps_its_width)
{
    static const uint32_t widths[] = {24, 40, 80, 133};
    uint32_t seed = (uint32_t)_i * 2654435761u + 1;
    ValueId v[60] = {x};
    for (uint32_t i = 1; i < 60; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t near = i < 8 || seed >> 31 ? i : 8; /* local and far uses */
        ValueId p = v[i - 1 - (seed >> 8) % near], q = v[i - 1 - (seed >> 16) % near];
        v[i] = seed >> 30 & 1 ? binary(PRIM_add, p, q) : unary(PRIM_exp, p);
    }
    finish(v[59]);
    for (size_t k = 0; k < ARRAY_LEN(widths); k++) {
        sb_clear(&out);
        graph_terminal(t, &(GraphOptions){0}, widths[k], true, &out, NULL);
        const char *legend = strstr(sb_cstr(&out), "■");
        size_t drawing = (size_t)(legend - sb_cstr(&out));
        while (drawing && out.p[drawing - 1] != '\n')
            drawing--;
        out.p[drawing] = 0;
        ck_assert_uint_le(widest(out.p), widths[k]);
    }
    sb_clear(&out);
    graph_terminal(t, &(GraphOptions){.ascii = true}, 80, false, &out, NULL);
    size_t plain = strspn(out.p, "\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ["
                                 "\\]^_`abcdefghijklmnopqrstuvwxyz{|}~");
    ck_assert_uint_eq(plain, out.n);
    for (NodeId n = 0; n < t->nnodes; n++) { /* 59 statements: every one is there */
        StrBuf name = {0};
        sb_printf(&name, "%.*s = ", STR(t->values[t->nodes[n].out.v].name));
        ck_contains(sb_cstr(&out), sb_cstr(&name));
        sb_free(&name);
    }
}
END_TEST

START_TEST(wide_programs_keep_the_width_too)
{
    ValueId sum = x;
    for (int i = 0; i < 40; i++)
        sum = binary(PRIM_add, sum, unary(PRIM_exp, x));
    finish(sum);
    graph_terminal(t, &(GraphOptions){0}, 80, false, &out, &note);
    ck_assert_uint_le(widest(sb_cstr(&out)), 80);
}
END_TEST

START_TEST(long_chains_are_shortened_with_counts)
{
    long_chain(100);
    graph_terminal(t, &(GraphOptions){0}, 80, false, &out, &note);
    ck_contains(sb_cstr(&out), "⋮ 89 more: 89 elementwise");
    ck_contains(sb_cstr(&out), "t0 = neg(x)");
    ck_contains(sb_cstr(&out), "→ output 0");
    ck_assert_uint_lt(count_of(sb_cstr(&out), "\n"), 20);
}
END_TEST

START_TEST(large_programs_are_collapsed_in_the_terminal)
{
    long_chain(3000);
    graph_terminal(t, &(GraphOptions){0}, 80, false, &out, &note);
    ck_assert_uint_lt(count_of(sb_cstr(&out), "\n"), 120);
    ck_contains(sb_cstr(&note), "collapsed into");
}
END_TEST

START_TEST(colour_only_when_asked)
{
    small_program();
    graph_terminal(t, &(GraphOptions){0}, 80, false, &out, &note);
    ck_assert_ptr_null(strchr(sb_cstr(&out), '\033'));
    sb_clear(&out);
    graph_terminal(t, &(GraphOptions){0}, 80, true, &out, &note);
    ck_contains(sb_cstr(&out), "\033[0;38;5;36m");
    ck_contains(sb_cstr(&out), "■ elementwise");
}
END_TEST

START_TEST(nothing_to_draw_is_said)
{
    finish(x);
    t->output = A_NONE;
    graph_terminal(t, &(GraphOptions){.around = w, .width = 0}, 80, false, &out, &note);
    ck_assert_uint_gt(out.n, 0); /* the parameter itself */
    sb_clear(&out);
    sb_clear(&note);
    t->ninputs = 0;
    graph_terminal(t, &(GraphOptions){0}, 80, false, &out, &note);
    ck_assert_uint_eq(out.n, 0);
    ck_contains(sb_cstr(&note), "nothing to draw");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("viz");
    TCase *c[4];
    static const char *const names[] = {"labels", "pictures", "files", "terminal"};
    for (int i = 0; i < 4; i++) {
        c[i] = tcase_create(names[i]);
        tcase_add_checked_fixture(c[i], setup, teardown);
        suite_add_tcase(s, c[i]);
    }
    tcase_add_test(c[0], names_of_torch_modules_become_paths);
    tcase_add_test(c[0], cut_text_counts_characters);
    tcase_add_test(c[0], counts_have_commas);
    tcase_add_test(c[0], every_operator_has_a_style);
    tcase_add_test(c[0], composites_look_like_what_they_contain);
    tcase_add_test(c[1], items_are_operators_inputs_and_outputs);
    tcase_add_test(c[1], a_value_used_twice_is_one_link);
    tcase_add_test(c[1], depth_opens_composites_into_clusters);
    tcase_add_test(c[1], neighbourhoods_stop_at_their_width);
    tcase_add_test(c[1], a_parameter_that_is_asked_for_is_drawn);
    tcase_add_test(c[1], paths_hold_what_lies_between);
    tcase_add_test(c[1], another_stage_marks_what_differs);
    tcase_add_test(c[1], large_programs_are_collapsed);
    tcase_add_test(c[1], groups_follow_the_source_lines);
    tcase_add_test(c[1], a_hundred_thousand_operators_take_little_time);
    tcase_add_test(c[2], dot_files_name_operators_types_and_parameters);
    tcase_add_test(c[2], pictures_of_a_trace_are_always_the_same);
    tcase_add_test(c[2], hostile_names_are_escaped);
    tcase_add_test(c[2], unknown_endings_are_refused);
    tcase_add_test(c[2], unwritable_files_are_an_error);
#ifdef THUNDER_HAVE_GRAPHVIZ
    tcase_add_test(c[2], svg_titles_are_statements_with_their_line);
    tcase_add_test(c[2], png_and_pdf_are_what_they_say);
    tcase_add_test(c[2], drawing_again_does_not_disturb);
#else
    tcase_add_test(c[2], without_graphviz_the_error_names_the_package);
#endif
    tcase_add_test(c[3], terminal_draws_boxes_and_lines);
    tcase_add_loop_test(c[3], terminal_keeps_its_width, 0, 25);
    tcase_add_test(c[3], wide_programs_keep_the_width_too);
    tcase_add_test(c[3], long_chains_are_shortened_with_counts);
    tcase_add_test(c[3], large_programs_are_collapsed_in_the_terminal);
    tcase_add_test(c[3], colour_only_when_asked);
    tcase_add_test(c[3], nothing_to_draw_is_said);
    return run_suite(s);
}
