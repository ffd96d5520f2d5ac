/*
 * check_front.c - promises of core/front: what texts are read and as what, that printing and
 * reading again gives an equal trace, and that every mistake is an error with a place.
 */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <stdio.h>
#include <time.h>

#include "front.h"
#include "lang.h"

static Registry reg;
static Diag diag;

static void setup(void)
{
    registry_init(&reg);
    lang_register(&reg, &diag);
    ck_no_errors(&diag);
}

static void teardown(void)
{
    registry_free(&reg);
    diag_clear(&diag);
}

/* A text under test; spans point into it and its name, so it stays where it is. */
typedef struct Loaded {
    Source *src;
    FrontFile *file;
    Trace *t;
    StrBuf text; /* as printed */
} Loaded;

static Loaded load_with(Str text, const SymbolValue *symbols, uint32_t n)
{
    Loaded l = {.src = malloc(sizeof *l.src)};
    ck_assert_ptr_nonnull(l.src);
    *l.src = (Source){S("test.py"), text};
    l.file = front_parse(l.src, &diag);
    if (front_count(l.file))
        l.t = front_acquire(front_function(l.file, 0), &reg, symbols, n, NULL, &diag);
    if (l.t)
        trace_print(l.t, &print_all, &l.text);
    return l;
}

static void unload(Loaded *l)
{
    trace_unref(l->t);
    front_free(l->file);
    sb_free(&l->text);
    free(l->src);
}

static Loaded load(const char *text)
{
    Loaded l = load_with(str_from(text), NULL, 0);
    ck_no_errors(&diag);
    ck_assert_ptr_nonnull(l.t);
    ck_assert(trace_verify(l.t, &diag));
    return l;
}

/* What was printed reads back as an equal trace. */
static void check_round_trip(const Trace *t)
{
    StrBuf text = {0}, why = {0};
    trace_print(t, &print_all, &text);
    Source src = {S("printed"), sb_str(&text)};
    FrontFile *f = front_parse(&src, &diag);
    ck_no_errors(&diag);
    ck_assert_uint_eq(front_count(f), 1);
    Trace *again = front_acquire(front_function(f, 0), &reg, NULL, 0, NULL, &diag);
    ck_no_errors(&diag);
    ck_assert_msg(trace_equal(t, again, &why), "%s in:\n%s", sb_cstr(&why), sb_cstr(&text));
    trace_unref(again);
    front_free(f);
    sb_free(&text);
    sb_free(&why);
}

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    *n = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*n + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, *n, f), *n);
    fclose(f);
    return text;
}

/* ----------------------------------------------------------------------------------- statements */

/* A body of def f(x: "f32[2, 3]", y: "f32[2, 3]", m: "f32[3, 3]", i: "i64[2]"), and what the
 * printed trace must contain. Lines are separated by '\n'. */
static const struct {
    const char *body, *printed;
} statements[] = {
    {"z = x + y\nreturn z", "  z = ltorch.add(x, y"},
    {"z: \"f32[2, 3]\" = x * 2;  x = None\nreturn (z,)", "return (z,)"},
    {"z : torch.Tensor = x.exp()\nreturn z", "z = ltorch.exp(x)"},
    {"z: f32[2, 3] = torch.ops.aten.exp.default(x)\nreturn z", "z = ltorch.exp(x)"},
    {"z = torch.nn.functional.relu(x, inplace = False)\nreturn z", "z = ltorch.relu(x, False)"},
    {"a = x.shape\nz = y.view(a[1], a[0])\nreturn z", "z: \"cpu f32[3, 2]\""},
    {"n = x.size(0)\nz = y.reshape(n * 3)\nreturn z", "z: \"cpu f32[6]\""},
    {"z = x.T\nreturn z", "z: \"cpu f32[3, 2]\""},
    {"z = x.to(y.dtype)\nreturn z", "dtypes.float32"},
    {"z = torch.full([2], 1.0, dtype = torch.float64, device = device(type='cpu', index=0))\n"
     "return z",
     "z: \"cpu f64[2]\""},
    {"z = torch.zeros(2, device = torch.device('cuda:1'))\nreturn z", "z: \"cuda:1 f32[2]\""},
    {"z = x[0]\nreturn z", "z: \"cpu f32[3]\""},
    {"z = x[..., None, 1:]\nreturn z", "ltorch.getitem(x, (..., None, slice(1, None, None)))"},
    {"z = x[(slice(None, None, None), None, 0)]\nreturn z", "z: \"cpu f32[2, 1]\""},
    {"z = x[:, ::2]\nreturn z", "z: \"cpu f32[2, 2]\""},
    {"z = x[i]\nreturn z", "z: \"cpu f32[2, 3]\""},
    {"x[0] = 3.0\nreturn x", "ltorch.setitem_(x, 0, 3.0)"},
    {"x[(0, slice(None, 2, None))] = 1.0;  setitem = x\nreturn setitem", "return x"},
    {"x += 1\niadd: \"f32[2, 3]\" = x\nreturn iadd", "ltorch.add_(x, 1"},
    {"x.mul_(0.5)\nreturn x", "ltorch.mul_(x, 0.5)"},
    {"z = x.exp_().clamp_(max=3)\nreturn z", "ltorch.clamp_("},
    {"z = 2 - x\nreturn z", "z: \"cpu f32[2, 3]\""},
    {"z = -x\nw = ~(x > 0)\nreturn (z, w)", "ltorch.neg(x)"},
    {"z = x ** 2 / y - x // y\nreturn z", "ltorch.pow(x, 2)"},
    {"z = x @ m\nreturn z", "ltorch.matmul(x, m)"},
    {"z = (x > 0) & (y <= 1) | (x != y)\nreturn z", "z: \"cpu b8[2, 3]\""},
    {"a, b = torch.split(m, 2)\nreturn (a, b)", "b: \"cpu f32[1, 3]\""},
    {"s = torch.split(m, 2)\nq = s[0]\nk = s[1]\nreturn (q, k)", "q = prims.slice_prim("},
    {"a = torch.ops.aten.var_mean.correction(x, [1], correction = 0, keepdim = True)\nb = a[1]\n"
     "return b",
     "return b"},
    {"a = b = c = None\nreturn (a, b, c)", "return (None, None, None)"},
    {"z = torch.clamp(x, -inf, float('inf'))\nreturn z", "-float('inf'), float('inf')"},
    {"z = x * nan\nreturn z", "float('NaN')"},
    {"z = x * (3 + 4 // 3 % 5 - 2 ** 2)\nreturn z", "ltorch.mul(x, 0)"},
    {"z = x * -7 // 2\nreturn -7 // 2", "return -4"},
    {"n = 1\nn += 2\nreturn n * (1, 2)", "return (1, 2, 1, 2, 1, 2)"},
    {"return {'output': x, 'flat': [x, (y,)]}", "return {'output': x, 'flat': [x, (y,)]}"},
    {"return 9223372036854775807, -9223372036854775808, 0x10, 1_000",
     "return (9223372036854775807, -9223372036854775808, 16, 1000)"},
    {"return 1e-05, -3.4028234663852886e+38, 1j, 'a\\'b\\n', b\"x\"",
     "return (1e-05, -3.4028234663852886e+38, complex(0.0, 1.0)"},
    {"return not None, 1 < 2 < 3, 2 in (1, 2), x is None", "return (True, True, True, False)"},
    {"return torch.strided, torch.contiguous_format, torch.Size([2, 3])",
     "return (torch.strided, torch.contiguous_format, (2, 3))"},
    {"z = x\nx = x.exp()\nreturn (z, x)", "x_1 = ltorch.exp(x)"},
    {"z = torch.add(*(x, y), **{'alpha': 2})\nreturn z", "alpha=2"},
    {"z = torch.cat([x,\n    y], # a remark\n  dim=0)\nreturn z", "z: \"cpu f32[4, 3]\""},
    {"z = x + \\\n  y\nreturn z", "ltorch.add(x, y"},
    {"import math\nfrom torch.nn import functional as F\nz = F.relu(x) * math.pi\nreturn z",
     "3.141592653589793"},
    {"pass\nz = (\n  x\n) = w = x.sin()\nreturn w", "z = ltorch.sin(x)"},
    {"z = torch.ops.aten.exp.default(x);  x = None;\nreturn z", "ltorch.exp(x)"},
    {"del y\nreturn x", "  del y"},
};

START_TEST(statement_is_read)
{
    StrBuf text = {0};
    sb_puts(&text, "def f(x: \"f32[2, 3]\", y: \"f32[2, 3]\", m: \"f32[3, 3]\", i: \"i64[2]\"):\n");
    Str rest = str_from(statements[_i].body);
    while (rest.n) {
        sb_puts(&text, "    ");
        sb_add(&text, str_cut(&rest, '\n'));
        sb_putc(&text, '\n');
    }
    Loaded l = load(sb_cstr(&text));
    ck_contains(sb_cstr(&l.text), statements[_i].printed);
    check_round_trip(l.t);
    unload(&l);
    sb_free(&text);
}
END_TEST

/* ------------------------------------------------------------------------------------- wrappers */

static const struct {
    const char *text, *printed;
} wrappers[] = {
    {"class GraphModule(torch.nn.Module):\n"
     "    def forward(self, x: \"f32[4][1]cpu\"):\n"
     "        return (x,)\n",
     "def forward(x):\n  # x: \"cpu f32[4]\""},
    {"class <lambda>(torch.nn.Module):\n"
     "    def forward(self, arg0_1: \"bf16[2, 16][1, 2]cuda:0\"):\n"
     "        return (arg0_1,)\n",
     "# arg0_1: \"cuda:0 bf16[2, 16][1, 2]\""},
    {"from __future__ import annotations\nimport torch\n"
     "def forward(self, x : torch.Tensor, *, n = 2, s0: \"Sym(3)\") -> torch.Tensor:\n"
     "    \"\"\"says nothing\"\"\"\n"
     "    x: \"f32[2]\"\n"
     "    return x * n * s0\n",
     "ltorch.mul(x, 2)"},
    {"V0401 12:00:01.250000 4242 torch/_dynamo/output_graph.py:1983] [0/0] [__graph_code] TRACED\n"
     "V0401 12:00:01.250000 4242 torch/_dynamo/output_graph.py:1983] [0/0] [__graph_code] x.py "
     "class GraphModule(torch.nn.Module):\n"
     "V0401 12:00:01.250000 4242 torch/_dynamo/output_graph.py:1983] [0/0] [__graph_code]     "
     "def forward(self, x: \"f32[4]\"):\n"
     "a print of the user's program\n"
     "V0401 12:00:01.250000 4242 torch/_dynamo/output_graph.py:1983] [0/0] [__graph_code]         "
     "y = x.exp()\n"
     "V0401 12:00:01.250000 4242 torch/_dynamo/output_graph.py:1983] [0/0] [__graph_code]\n"
     "V0401 12:00:01.250000 4242 torch/_dynamo/output_graph.py:1983] [0/0] [__graph_code]         "
     "return (y,)\n",
     "y = ltorch.exp(x)"},
    {"[2023-05-01 12:00:00,123] torch._dynamo.output_graph.__graph_code: [DEBUG] def forward(x: "
     "\"f32[4]\"):\n"
     "[2023-05-01 12:00:00,123] torch._dynamo.output_graph.__graph_code: "
     "[DEBUG]   return x.exp()\n",
     "ltorch.exp(x)"},
    {"See:\n```python\ndef f(\n  x: \"\033[32mf32\033[0m[4]\",\n```\n"
     "  y: \"f32[4]\", # input 1\n):\n"
     "      z = x + y\n    return z\n```\n",
     "z = ltorch.add(x, y"},
    {"def forward(self, primals, tangents):\n"
     "    primals_1: \"f32[8, 4]\"; primals_2: \"f32[4]\"; tangents_1: \"f32[8, 4]\"; \n\n"
     "    primals_1, primals_2, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], "
     "self._in_spec)\n"
     "    add: \"f32[8, 4]\" = torch.ops.aten.add.Tensor(primals_1, primals_2)\n"
     "    return pytree.tree_unflatten([add, None], self._out_spec)\n",
     "def forward(primals_1, primals_2, tangents_1):"},
    {"def forward(self, args_list):\n"
     "    args_iter = iter(args_list)\n"
     "    x: \"f32[2]\" = next(args_iter)\n"
     "    args_list.clear()\n"
     "    return x.exp()\n",
     "def forward(x):"},
    {"class G(torch.nn.Module):\n"
     "    def forward(self, x: \"f32[2, 4]\"):\n"
     "        w: \"f32[3, 4]\" = self.fc.weight\n"
     "        linear = torch._C._nn.linear(x, w)\n"
     "        again = torch._C._nn.linear(x, self.fc.weight)\n"
     "        return linear + again\n",
     "def forward(x, fc_weight):"},
    {"class G(torch.nn.Module):\n"
     "    def forward(self, x: \"f32[2]\"):\n"
     "        submod_3 = self.submod_1\n"
     "        wrap = torch.ops.higher_order.wrap_with_set_grad_enabled(False, "
     "submod_3, x);  x = None\n"
     "        a: \"f32[2]\" = wrap[0]\n"
     "        b: \"f32[2]\" = self.submod_1(a)[1]\n"
     "        return (a, b)\n\n"
     "    class submod_1(torch.nn.Module):\n"
     "        def forward(self, x: \"f32[2]\"):\n"
     "            sin: \"f32[2]\" = torch.ops.aten.sin.default(x);  x = None\n"
     "            cos: \"f32[2]\" = torch.ops.aten.cos.default(sin)\n"
     "            return (sin, cos)\n",
     "return (a, cos_1)"},
    {"def f(x: \"f32[2, 4]\"):\n"
     "    top = torch.topk(x, 2)\n"
     "    return (top.values, torch.max(x, 1).indices)\n",
     "def f(x):"},
    {"\xef\xbb\xbf" /* a byte order mark */
     "def f(x: \"f32[2]\"):\n"
     "    return x.exp()\n",
     "def f(x):"},
};

START_TEST(wrapper_is_read)
{
    Loaded l = load(wrappers[_i].text);
    ck_contains(sb_cstr(&l.text), wrappers[_i].printed);
    check_round_trip(l.t);
    unload(&l);
}
END_TEST

START_TEST(several_functions_in_one_file)
{
    Source src = {S("t"), S("import torch\n"
                            "def case0(x: \"f32[2]\"):\n    return x\n"
                            "def broken(x: \"f32[2]\"):\n    return x +\n"
                            "def case2(x: \"f32[2]\"): return x * 2\n")};
    FrontFile *f = front_parse(&src, &diag);
    ck_assert_uint_eq(front_count(f), 3);
    ck_text(front_name(front_function(f, 0)), "case0");
    ck_text(front_name(front_function(f, 2)), "case2");
    ck_assert_uint_eq(diag.nerrors, 1);
    ck_assert_ptr_null(front_acquire(front_function(f, 1), &reg, NULL, 0, NULL, &diag));
    ck_assert_uint_eq(diag.nerrors, 1);
    diag_clear(&diag);
    Trace *t = front_acquire(front_function(f, 2), &reg, NULL, 0, NULL, &diag);
    ck_no_errors(&diag);
    trace_unref(t);
    front_free(f);
}
END_TEST

/* ----------------------------------------------------------------------------- values and facts */

START_TEST(fresh_names_stay_clear_of_the_text)
{
    Loaded l = load("def f(t0: \"f32[2]\", t7: \"f32[2]\"):\n"
                    "    return torch.softmax(t0 + t7, 0)\n");
    for (ValueId v = 1; v < l.t->nvalues; v++)
        for (ValueId w = v + 1; w < l.t->nvalues; w++)
            ck_assert(!str_eq(l.t->values[v].name, l.t->values[w].name));
    ck_assert_uint_gt(l.t->name_counter, 7);
    unload(&l);
}
END_TEST

START_TEST(parameters_are_told_by_name)
{
    Loaded l = load("def f(L_self_modules_fc_parameters_weight_: "
                    "\"f32[2]\", p_fc_bias: \"f32[2]\", "
                    "b_mean: \"f32[2]\", t_fc_weight: \"f32[2]\", "
                    "L_x_: \"f32[2]\", x: \"f32[2]\"):\n"
                    "    return x\n");
    for (uint32_t i = 0; i < l.t->ninputs; i++)
        ck_assert_int_eq((l.t->values[l.t->inputs[i]].flags & VF_PARAMETER) != 0, i < 4);
    unload(&l);
}
END_TEST

START_TEST(source_lines_of_both_systems)
{
    Loaded l = load("def f(x: \"f32[2]\"):\n"
                    "    a = x.exp()\n"
                    "     # File: C:\\m\\model.py:31 in forward, code: y = f(x)  # \"odd; text\"\n"
                    "    b = a.sin()\n"
                    "    # Annotation: {'stage': 'mlp'} File: n.py:7 in g, code: z\n"
                    "    c = b.cos()\n"
                    "    # No stacktrace found for following nodes\n"
                    "    d = c.cos()\n"
                    "  # net.py:12: \t    return self.fc(x)\n"
                    "    e = d.cos()\n"
                    "    return e\n");
    const SrcLoc *loc[5];
    uint32_t n = 0;
    for_top(l.t, i)
        loc[n++] = l.t->nodes[i].loc;
    ck_assert_uint_eq(n, 5);
    ck_assert_ptr_null(loc[0]);
    ck_text(loc[1]->file, "C:\\m\\model.py");
    ck_assert_uint_eq(loc[1]->line, 31);
    ck_text(loc[1]->func, "forward");
    ck_text(loc[1]->code, "y = f(x)  # \"odd; text\"");
    ck_text(loc[2]->file, "n.py");
    ck_assert_ptr_null(loc[3]);
    ck_text(loc[4]->file, "net.py");
    ck_text(loc[4]->code, "return self.fc(x)");
    ck_contains(sb_cstr(&l.text), "\n\n  # n.py:7: \tz\n");
    check_round_trip(l.t);
    unload(&l);
}
END_TEST

static const char symbolic[] =
    "class GraphModule(torch.nn.Module):\n"
    "    def forward(self, s77: \"Sym(s77)\", x: \"f32[s77, 4]\", y: \"f32[2*s77 "
    "+ 1, (s77//2)]\"):\n"
    "        size = x.size()\n"
    "        n: \"Sym(s77)\" = size[0]\n"
    "        v: \"f32[4*s77]\" = x.view(n * 4)\n"
    "        c: \"f32[2*s77 + 1, Max(1, s77//2)]\" = y * 2\n"
    "        return (v, c)\n";

START_TEST(symbolic_sizes_are_bound)
{
    const SymbolValue six = {S("s77"), 6};
    Loaded l = load_with(S(symbolic), &six, 1);
    ck_no_errors(&diag);
    ck_assert_uint_eq(l.t->ninputs, 2);
    ck_contains(sb_cstr(&l.text), "y: \"cpu f32[13, 3]\"");
    ck_contains(sb_cstr(&l.text), "v: \"cpu f32[24]\"");
    uint32_t n, rank;
    const Str *symbols = front_symbols(front_function(l.file, 0), &n);
    ck_assert_uint_eq(n, 1);
    ck_text(symbols[0], "s77");
    int64_t dims[MAX_RANK];
    Str sym[MAX_RANK], name;
    ck_assert(!front_param_shape(front_function(l.file, 0), 1, &name, &rank, dims, sym));
    ck_assert(front_param_shape(front_function(l.file, 0), 2, &name, &rank, dims, sym));
    ck_text(name, "x");
    ck_assert_uint_eq(rank, 2);
    ck_assert_int_eq(dims[0], -1);
    ck_text(sym[0], "s77");
    ck_assert_int_eq(dims[1], 4);
    ck_assert(front_param_shape(front_function(l.file, 0), 3, &name, &rank, dims, sym));
    ck_assert_int_eq(dims[0], -2);
    check_round_trip(l.t);
    unload(&l);
}
END_TEST

START_TEST(missing_symbols_say_how_to_set_them)
{
    Loaded l = load_with(S(symbolic), NULL, 0);
    ck_assert_ptr_null(l.t);
    ck_assert_uint_eq(diag.nerrors, 1);
    ck_error(&diag, "missing-symbol");
    ck_text(diag.first->help, "set s77=128");
    unload(&l);
}
END_TEST

START_TEST(operators_are_counted)
{
    Source src = {S("t"), S("def f(x: \"f32[2]\"):\n"
                            "    a: \"f32[2]\" = torch.unknown_thing(x)\n"
                            "    b = torch.sin(a) + torch.sin(x)\n"
                            "    c = b.view(2)\n" /* the overload that is meant, not view(dtype) */
                            "    return c.cos()\n")};
    FrontFile *f = front_parse(&src, &diag);
    OpUses uses = {0};
    ck_assert_ptr_null(front_acquire(front_function(f, 0), &reg, NULL, 0, &uses, &diag));
    ck_assert_uint_eq(diag.nerrors, 1);
    ck_assert_uint_eq(uses.n, 5);
    ck_text(uses.items[0].written, "torch.unknown_thing");
    ck_assert_ptr_null(uses.items[0].op);
    ck_text(uses.items[1].written, "torch.sin");
    ck_assert_uint_eq(uses.items[1].count, 2);
    ck_text(uses.items[2].written, "operator.add");
    ck_assert_str_eq(uses.items[3].op->name, "view");
    ck_text(uses.items[4].written, "Tensor.cos");
    op_uses_free(&uses);
    front_free(f);
}
END_TEST

/* ------------------------------------------------------------------------------- Thunder's form */

START_TEST(decompositions_are_read_as_they_stand)
{
    Loaded l = load("def computation(x):\n"
                    "  # x: \"cpu f32[2]\"\n"
                    "  h = torch.sigmoid(x)  # h: \"cpu f32[2]\"\n"
                    "    # h = ltorch.sigmoid(x)  # h: \"cpu f32[2]\"\n"
                    "      # t1 = prims.neg(x)  # t1: \"cpu f32[2]\"\n"
                    "      # t2 = prims.exp(t1)  # t2: \"cpu f32[2]\"\n"
                    "      # t3 = prims.add(t2, 1.0)  # t3: \"cpu f32[2]\"\n"
                    "      # h = prims.reciprocal(t3)  # h: \"cpu f32[2]\"\n"
                    "  return (h,)\n");
    ck_assert_uint_eq(l.t->nnodes, 5); /* the repeated level is one node */
    ck_assert_uint_eq(l.t->nodes[0].span, 5);
    ck_assert(l.t->nodes[0].flags & NF_VERBATIM);
    ck_assert_uint_eq(l.t->nodes[1].op->id, PRIM_neg);
    check_round_trip(l.t);
    unload(&l);
}
END_TEST

START_TEST(fusions_are_calls)
{
    Loaded l = load("def computation(a, b):\n"
                    "  # a: \"cuda:0 f32[2]\"\n"
                    "  # b: \"cuda:0 f32[2]\"\n"
                    "  [t1, t2] = nvFusion0(a, b)\n"
                    "    # t0 = prims.add(a, b)  # t0: \"cuda:0 f32[2]\"\n"
                    "    # t1 = prims.sin(t0)  # t1: \"cuda:0 f32[2]\"\n"
                    "    # t2 = prims.cos(t0)  # t2: \"cuda:0 f32[2]\"\n"
                    "    # del t0\n"
                    "  (t4,) = TorchCompile0(t1)\n"
                    "    # t4 = prims.exp(t1)  # t4: \"cuda:0 f32[2]\"\n"
                    "  return (t2, t4)\n");
    ck_assert_uint_eq(l.t->nodes[0].op->id, PRIM_call);
    ck_assert_int_eq(l.t->nodes[0].out.kind, ARG_list);
    ck_contains(sb_cstr(&l.text), "  [t1, t2] = nvFusion0(a, b)\n    # t0 = prims.add(a, b)");
    ck_contains(sb_cstr(&l.text), "    # del t0\n  (t4,) = TorchCompile0(t1)");
    check_round_trip(l.t);
    unload(&l);
}
END_TEST

START_TEST(trailers_carry_executor_and_plan)
{
    static const char text[] = "# Constructed by Memory Plan (took 3 milliseconds)\n"
                               "# Memory plan: 4096 bytes\n"
                               "def computation(x):\n"
                               "  # x: \"cpu f32[4, 2]\"\n"
                               "  t1 = prims.exp(x)  # t1: \"cpu f32[4, 2]\" @interp +1024\n"
                               "  (a, b) = prims.var_mean(t1, (1,), correction=0)  # @interp +0,-\n"
                               "  t2 = prims.sin(a)  # +64\n"
                               "  del a, t1\n"
                               "  return (t2, b)\n";
    Loaded l = load(text);
    ck_text(l.t->made_by, "Memory Plan");
    ck_assert_int_eq(l.t->plan_bytes, 4096);
    ck_assert_str_eq(l.t->nodes[0].executor, "interp");
    ck_assert_int_eq(l.t->values[l.t->nodes[0].out.v].offset, 1024);
    ck_assert_int_eq(l.t->values[l.t->nodes[1].out.items[0].v].offset, 0);
    ck_assert_int_eq(l.t->values[l.t->nodes[1].out.items[1].v].offset, -1);
    ck_assert_ptr_null(l.t->nodes[2].executor);
    for (const char *line = strstr(text, "  t1"); line; line = strchr(line + 1, '\n')) {
        Str rest = str_from(line + (*line == '\n'));
        Str want = str_cut(&rest, '\n');
        char *copy = strndup(want.p, want.n);
        if (want.n && want.p[2] != 't') /* types are printed in full, else as it was */
            ck_contains(sb_cstr(&l.text), copy);
        free(copy);
    }
    check_round_trip(l.t);
    unload(&l);
}
END_TEST

START_TEST(prologues_unpack_and_check)
{
    Loaded l = load("@torch.no_grad()\n"
                    "def prologue(*args, **kwargs):\n"
                    "  # args: \"Any\"\n"
                    "  prims.check_len(args, 1)\n"
                    "  # kwargs: \"Any\"\n"
                    "  x: \"cpu f32[2]\" = args[0]\n"
                    "  m0: \"Any\" = globals()['__function_obj']\n"
                    "  m: \"Any\" = thunder.core.module.get_thunder_module(m0)\n"
                    "  w: \"cpu f32[2]\" = m.get_parameter('fc.weight')\n"
                    "  i0: \"bool True\" = m.training\n"
                    "  prims.check_tensor_shape_and_metadata(x, (2,), 'cpu', torch.float32, True)\n"
                    "  info: \"Any\" = thunder._get_cache_info()\n"
                    "  C0: \"Collection\" = info['saved']\n"
                    "  t1, _, \\\n"
                    "  C1, = C0\n"
                    "  # t1: \"cpu f32[3]\"\n"
                    "  # C1: \"Collection\"\n"
                    "  clear_mutable_collection(C0)\n"
                    "  del C0\n"
                    "  return ((x, w, t1), ())\n");
    ck_assert_int_eq(l.t->kind, TRACE_prologue);
    ck_assert(l.t->values[l.t->inputs[0]].flags & VF_STAR);
    ck_assert(l.t->values[l.t->inputs[1]].flags & VF_STAR_STAR);
    ck_contains(sb_cstr(&l.text), "def prologue(*args, **kwargs):");
    ck_contains(sb_cstr(&l.text), "  w: \"cpu f32[2]\" = m.get_parameter('fc.weight')\n");
    ck_contains(sb_cstr(&l.text), "  t1, _, C1, = C0\n  # t1: \"cpu f32[3]\"\n");
    check_round_trip(l.t);
    unload(&l);
}
END_TEST

static const char *const samples[] = {
    "front/mlp.fw06.py",
    "front/mlp.bw00.py",
    "front/mlp.prologue00.py",
    "front/mlp.prologue01.py",
    "front/xent.fw06.py",
    "front/softmax.fw02.py",
    "front/index.fw00.py",
    "front/embedding.bw00.py",
    "mlp.dynamo.py",
    "mlp.aot_fw.py",
    "mlp.export.py",
    "add_mul.fw00.py",
    "layernorm.fw00.py",
    "random.py",
    "alias.py",
    "ops_add.py",
};

START_TEST(sample_reads_prints_and_reads_again)
{
    char path[512];
    size_t n;
    snprintf(path, sizeof path, "%s/cases/%s", TEST_DIR, samples[_i]);
    char *text = read_file(path, &n);
    Source src = {str_from(samples[_i]), {text, n}};
    FrontFile *f = front_parse(&src, &diag);
    ck_no_errors(&diag);
    ck_assert_uint_ge(front_count(f), 1);
    for (uint32_t i = 0; i < front_count(f); i++) {
        Trace *t = front_acquire(front_function(f, i), &reg, NULL, 0, NULL, &diag);
        ck_no_errors(&diag);
        trace_verify(t, &diag);
        ck_no_errors(&diag);
        check_round_trip(t);
        trace_unref(t);
    }
    front_free(f);
    free(text);
}
END_TEST

START_TEST(depth_limits_what_is_printed)
{
    Loaded l = load("def f(x: \"f32[2, 3]\"):\n    a = torch.softmax(x, 1)\n    return a\n");
    PrintOptions o = {.depth = 0, .types = true};
    StrBuf flat = {0}, line = {0};
    trace_print(l.t, &o, &flat);
    ck_assert_str_eq(sb_cstr(&flat), "def f(x):\n"
                                     "  # x: \"cpu f32[2, 3]\"\n"
                                     "  a = ltorch.softmax(x, 1, dtype=None) "
                                     " # a: \"cpu f32[2, 3]\"\n"
                                     "  return a\n");
    o.types = false;
    node_print(l.t, 0, &o, &line);
    ck_assert_str_eq(sb_cstr(&line), "a = ltorch.softmax(x, 1, dtype=None)");
    sb_free(&flat);
    sb_free(&line);
    unload(&l);
}
END_TEST

/* --------------------------------------------------------------------------------------- errors */

/* A text, the code of the error it gives, a part of the message or help, and the text that the
 * error points at (NULL: not looked at). */
static const struct {
    const char *text, *code, *says, *at;
} mistakes[] = {
    {"def f(x: \"f32[2]\"):\n    return torch.softmaxx(x, 0)\n", "unknown-op",
     "did you mean torch.softmax?", "torch.softmaxx"},
    {"def f(x: \"f32[2]\"):\n    return x.veiw(2)\n", "unknown-op", "Tensor.veiw", NULL},
    {"def f(xvalue: \"f32[2]\"):\n    return xvaleu * 2\n", "undefined-name",
     "did you mean xvalue?", "xvaleu"},
    {"def f(x: \"f32[2]\"):\n    y: \"f32[3]\" = x * 2\n    return y\n", "type-mismatch",
     "y is annotated cpu f32[3], but its value is cpu f32[2]", "\"f32[3]\""},
    {"def f(x: \"f32[2]\"):\n    y: \"i64[2]\" = x * 2\n    return y\n", "type-mismatch", "i64[2]",
     NULL},
    {"def f(x: \"f32[2]\"):\n    y: \"f32[2]cuda:0\" = x * 2\n    return y\n", "type-mismatch",
     "cuda:0", NULL},
    {"def f(x: \"f32[2, 3]\", y: \"f32[4, 5]\"):\n    return x @ y\n", "bad-argument", "", NULL},
    {"def f(x: \"f32[2]\"):\n    return torch.relu()\n", "bad-argument", "", NULL},
    {"def f(x: \"f32[2]\"):\n    return torch.sum(x, wrong=1)\n", "bad-argument", "wrong", "1"},
    {"def f(x):\n    return x * 2\n", "no-type", "write its type", "x"},
    {"def f(self):\n    return self.w * 2\n", "no-type", "self.w", "self.w"},
    {"def f(x: \"f33[2]\"):\n    return x\n", "unknown-dtype", "f33", "f33"},
    {"def f(x: \"f32[-2]\"):\n    return x\n", "bad-shape", "negative", NULL},
    {"def f(x: \"f32[4611686018427387904, 4611686018427387904]\"):\n    return x\n", "bad-shape",
     "too many elements", NULL},
    {"def f(x: \"f32[2, 3][3]\"):\n    return x\n", "syntax", "2 sizes but 1 strides", NULL},
    {"def f(x: \"f32[2\"):\n    return x\n", "truncated", "']'", NULL},
    {"def f(x: \"f32[2]\"):\n    y = x * 2\n", "truncated", "without a return", NULL},
    {"def f(x: \"f32[2]\", y: \"f32[", "syntax", "does not end", NULL},
    {"def f(x: \"f32[2]\"):\n    y = torch.cat([x, x)\n    return y\n", "syntax", "']'", ")"},
    {"def f(x: \"f32[2]\"):\n    y = torch.cat([x, x]\n    return y\n", "syntax", "not closed",
     NULL},
    {"def f(x: \"f32[2]\"):\n    y = 'abc\n    return y\n", "syntax", "does not end", NULL},
    {"def f(x: \"f32[2]\"):\n    y = x ? 2\n    return y\n", "syntax", "'?'", "?"},
    {"def f(x: \"f32[2]\"):\n    2 = x\n    return x\n", "syntax", "cannot assign", "2"},
    {"def f(x: \"f32[2]\"):\n    if x:\n        return x\n", "unsupported", "straight-line", "if"},
    {"def f(x: \"f32[2, 3]\"):\n    x.t_()\n    return (x,)\n", "unsupported", "for its caller",
     "x.t_()"},
    {"def f(x: \"f32[2]\"):\n    return [a for a in x]\n", "unsupported", "straight-line", "for"},
    {"def f(x: \"f32[2]\"):\n    a, b = x[0:1], 1, 2\n    return a\n", "bad-unpack",
     "2 names for 3 values", "a, b"},
    {"def f(x: \"f32[2]\"):\n    return (1, 2)[5]\n", "bad-index", "out of range", NULL},
    {"def f(x: \"f32[2]\"):\n    return 1 // 0\n", "bad-operand", "division by zero", "1 // 0"},
    {"def f(x: \"f32[2]\"):\n    return (1 - 1) // (2 - 2)\n", "bad-operand", "division by zero",
     "(1 - 1) // (2 - 2)"},
    {"def f(x: \"f32[2]\"):\n    return 9223372036854775807 + 1\n", "bad-operand", "64-bit", NULL},
    {"def f(x: \"f32[2]\"):\n    return 9223372036854775808\n", "int-too-large", "64 bits", NULL},
    {"def f(x: \"f32[2]\"):\n    return 99999999999999999999\n", "int-too-large", "64 bits", NULL},
    {"def f(x: \"f32[2]\"):\n    del x\n    return x\n", "undefined-name", "after its del", "x"},
    {"def f(x: \"f32[2]\"):\n    return torch.zeros(2, device='gpu')\n", "bad-argument", "", NULL},
    {"def f(x: \"f32[2]\"):\n    return torch.device('gpu')\n", "unknown-device", "gpu", "'gpu'"},
    {"def f(self, x: \"f32[2]\"):\n    return self.layers(x)\n", "undefined-name", "no sub-graph",
     NULL},
    {"def f(a):\n  # a: \"cpu f32[2]\"\n  [t1] = nvFusion0(a)\n    # t0 = prims.exp(a)\n"
     "  return t1\n",
     "bad-fusion", "do not compute", NULL},
    {"def f(a):\n  # a: \"cpu f32[2]\"\n  t1 = ltorch.exp(a)\n    # t1 = prims.exq(a)\n"
     "  return t1\n",
     "unknown-op", "prims.exp", "prims.exq"},
    {"def f(a: \"f32[2]\"):\n    b = torch.topk(a, 1)\n    return b.valuse\n", "unsupported",
     "a tuple has no attribute valuse; [0] is the first of its 2 elements", NULL},
    {"", "empty-file", "empty", NULL},
    {"  \n\n", "empty-file", "empty", NULL},
    {"x = 3\nprint(x)\n", "no-program", "def forward", NULL},
};

START_TEST(mistake_is_an_error_with_a_place)
{
    Loaded l = load_with(str_from(mistakes[_i].text), NULL, 0);
    ck_assert_ptr_null(l.t);
    ck_error(&diag, mistakes[_i].code);
    char *said = diag_text(&diag);
    ck_contains(said, mistakes[_i].says);
    free(said);
    const DiagItem *item = diag_with_code(&diag, mistakes[_i].code);
    ck_assert_int_eq(item->kind, DIAG_load);
    if (mistakes[_i].at)
        ck_text(str_sub(l.src->text, item->span.off, item->span.len), mistakes[_i].at);
    unload(&l);
}
END_TEST

START_TEST(loading_does_not_stop_at_the_first_error)
{
    Loaded l = load_with(S("def f(x: \"f32[2]\"):\n"
                           "    a: \"f32[2]\" = torch.nope(x)\n"
                           "    b: \"f32[3]\" = a * 2\n" /* a has the annotated type */
                           "    c = torch.nope(b)\n"
                           "    d = c + 1\n" /* not reported: c is broken already */
                           "    e = zz + 1\n"
                           "    return e\n"),
                         NULL, 0);
    ck_assert_ptr_null(l.t);
    ck_assert_uint_eq(diag.nerrors, 4);
    unload(&l);
}
END_TEST

START_TEST(binary_files_are_told)
{
    static const char bytes[] = "\x7f"
                                "ELF\0\0\0\x01\x02";
    Loaded l = load_with((Str){bytes, sizeof bytes}, NULL, 0);
    ck_assert_ptr_null(l.t);
    ck_error(&diag, "binary-file");
    unload(&l);
}
END_TEST

static void repeat(StrBuf *b, const char *what, size_t times)
{
    while (times--)
        sb_puts(b, what);
}

static const struct {
    const char *before, *part, *after, *code;
} deep[] = {
    {"def f(x: \"f32[2]\"):\n    return ", "(", "x\n", "too-deep"},
    {"def f(x: \"f32[2]\"):\n    return x", "[", "0\n", "too-deep"},
    {"def f(x: \"f32[2]\"):\n    return x", ".T", "\n", "too-deep"},
    {"def f(x: \"f32[2]\"):\n    return x", " + x", "\n", "too-deep"},
    {"def f(x: \"f32[2]\"):\n    return ", "-", "x\n", "too-deep"},
    {"def f(x: \"f32[2]\"):\n    return ", "not ", "x\n", "too-deep"},
    {"def f(x: \"f32[2]\"):\n    return x", " ** x", "\n", "too-deep"},
    {"def f(x: \"f32[2]\"):\n    return ", "{1: ", "\n", "too-deep"},
    {"def f(x: \"f32", "[s0 + (", "]\"):\n    return x\n", "too-deep"},
};

START_TEST(deep_nesting_is_refused)
{
    StrBuf text = {0};
    sb_puts(&text, deep[_i].before);
    repeat(&text, deep[_i].part, 300000);
    sb_puts(&text, deep[_i].after);
    Loaded l = load_with(sb_str(&text), NULL, 0);
    ck_assert_ptr_null(l.t);
    ck_error(&diag, deep[_i].code);
    unload(&l);
    sb_free(&text);
}
END_TEST

static double load_seconds(const char *before, const char *part, const char *after, size_t times)
{
    StrBuf text = {0};
    sb_puts(&text, before);
    repeat(&text, part, times);
    sb_puts(&text, after);
    clock_t start = clock();
    Loaded l = load_with(sb_str(&text), NULL, 0);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_no_errors(&diag);
    unload(&l);
    sb_free(&text);
    return seconds;
}

/* Ten times the text takes about ten times as long: a quadratic step would take a hundred. */
START_TEST(time_is_linear_in_the_text)
{
    static const struct {
        const char *before, *part, *after;
        size_t n;
    } shapes[] = {
        {"def f(x: \"f32[2]\"):\n    y = torch.cat([x", ", x", "])\n    return y\n", 30000},
        {"def f(x: \"f32[2]\"):\n    y = x", "; y = torch.ops.aten.exp.default(y)",
         "\n    return y\n", 5000},
        {"def f(x: \"f32[2]\"):\n", "    x = torch.sin(x)\n", "    return x\n", 5000},
        {"def f(x: \"f32[2]\"):\n    y = '", "abc", "'\n    return y\n", 30000},
        {"def f(x: \"f32[2]\"):\n", "    # a remark: 12: (\n", "    return x\n", 10000},
        {"def f(x: \"f32[2]\"):\n    return x # ", "m.py:3:", "\n", 30000},
    };
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        load_seconds(shapes[i].before, shapes[i].part, shapes[i].after, shapes[i].n);
        double one = load_seconds(shapes[i].before, shapes[i].part, shapes[i].after, shapes[i].n);
        double ten =
            load_seconds(shapes[i].before, shapes[i].part, shapes[i].after, shapes[i].n * 10);
        ck_assert_msg(ten < 40 * one + 0.02, "shape %zu: %.4f s, ten times the text %.4f s", i, one,
                      ten);
    }
}
END_TEST

/* ---------------------------------------------------------------------------------- expressions */

START_TEST(expressions_over_the_values_of_a_trace)
{
    static const struct {
        const char *text, *result;
    } table[] = {{"x", "x"},
                 {"%x", "x"},
                 {"p", "x"},
                 {"2 * 3 + 1", "7"},
                 {"1e-3", "0.001"},
                 {"(x, 1, None)", "(x, 1, None)"},
                 {"x * 1", "t0"},
                 {"exp(p)", "t0"},
                 {"torch.sin(%x)", "t0"},
                 {"x.shape", "(2,)"},
                 {"torch.float32", "dtypes.float32"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        static const int64_t shape[] = {2};
        Trace *t = trace_new(&reg, S("f"));
        ValueId x =
            trace_add_input(t, type_tensor(t, DT_f32, (Device){DEV_cpu, 0}, 1, shape), S("x"));
        Build b = {.t = t, .diag = &diag};
        const Str name = S("p");
        const Arg value = A_VALUE(x);
        Source src = {S("<command>"), str_from(table[i].text)};
        Arg out = front_expression(&b, &src, &name, &value, 1);
        StrBuf printed = {0};
        ck_no_errors(&diag);
        arg_print(t, out, &printed);
        ck_assert_msg(
            strncmp(sb_cstr(&printed), table[i].result, 1) == 0 &&
                (table[i].result[0] == 't' || strcmp(sb_cstr(&printed), table[i].result) == 0),
            "%s gives %s", table[i].text, sb_cstr(&printed));
        sb_free(&printed);
        trace_unref(t);
    }
}
END_TEST

START_TEST(bad_expressions_are_errors)
{
    static const char *const texts[] = {"",      "x +", "x y", "nothing", "torch.nope(x)",
                                        "x = 3", "((x)"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        static const int64_t shape[] = {2};
        Trace *t = trace_new(&reg, S("f"));
        trace_add_input(t, type_tensor(t, DT_f32, (Device){DEV_cpu, 0}, 1, shape), S("x"));
        Build b = {.t = t, .diag = &diag};
        Source src = {S("<command>"), str_from(texts[i])};
        front_expression(&b, &src, NULL, NULL, 0);
        ck_assert_msg(b.failed && diag.nerrors == 1, "no error: %s", texts[i]);
        diag_clear(&diag);
        trace_unref(t);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("front");
    TCase *tc = tcase_create("front");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, statement_is_read, 0, ARRAY_LEN(statements));
    tcase_add_loop_test(tc, wrapper_is_read, 0, ARRAY_LEN(wrappers));
    tcase_add_test(tc, several_functions_in_one_file);
    tcase_add_test(tc, fresh_names_stay_clear_of_the_text);
    tcase_add_test(tc, parameters_are_told_by_name);
    tcase_add_test(tc, source_lines_of_both_systems);
    tcase_add_test(tc, symbolic_sizes_are_bound);
    tcase_add_test(tc, missing_symbols_say_how_to_set_them);
    tcase_add_test(tc, operators_are_counted);
    tcase_add_test(tc, decompositions_are_read_as_they_stand);
    tcase_add_test(tc, fusions_are_calls);
    tcase_add_test(tc, trailers_carry_executor_and_plan);
    tcase_add_test(tc, prologues_unpack_and_check);
    tcase_add_loop_test(tc, sample_reads_prints_and_reads_again, 0, ARRAY_LEN(samples));
    tcase_add_test(tc, depth_limits_what_is_printed);
    tcase_add_loop_test(tc, mistake_is_an_error_with_a_place, 0, ARRAY_LEN(mistakes));
    tcase_add_test(tc, loading_does_not_stop_at_the_first_error);
    tcase_add_test(tc, binary_files_are_told);
    tcase_add_loop_test(tc, deep_nesting_is_refused, 0, ARRAY_LEN(deep));
    tcase_add_test(tc, time_is_linear_in_the_text);
    tcase_add_test(tc, expressions_over_the_values_of_a_trace);
    tcase_add_test(tc, bad_expressions_are_errors);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
