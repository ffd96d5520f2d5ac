/*
 * check_lua.c - what scripts may rely on, and what they cannot do to a session.
 *
 * Input: scripts as text, and the files of examples/. Each test makes a session and an
 * interpreter of its own; what print writes is collected in `said`.
 */
#define _POSIX_C_SOURCE 200809L
#include "executors.h"
#include "script.h"
#include "support.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static Session *s;
static Script *sc;
static Diag d;
static StrBuf said;

static void collect(void *user, Str text)
{
    sb_add(user, text);
}

static void setup(void)
{
    ExecList l;
    executors_default(&l);
    s = session_new(&l);
    sc = script_new(s, collect, &said);
    d = (Diag){0};
    ck_assert_ptr_nonnull(sc);
}

static void teardown(void)
{
    script_free(sc);
    session_free(s);
    diag_clear(&d);
    sb_free(&said);
}

/* Runs a script that must work; what it printed is returned. */
static const char *run(const char *code)
{
    sb_clear(&said);
    diag_clear(&d);
    bool ok = script_run(sc, str_from(code), S("test.lua"), &d);
    ck_no_errors(&d);
    ck_assert(ok);
    return sb_cstr(&said);
}

/* Runs a script that must fail with this code; the error is returned. */
static const DiagItem *fails(const char *code, const char *error)
{
    diag_clear(&d);
    ck_assert(!script_run(sc, str_from(code), S("test.lua"), &d));
    ck_error(&d, error);
    return diag_with_code(&d, error);
}

static void says(const char *code, const char *want)
{
    const char *have = run(code);
    ck_assert_msg(strcmp(have, want) == 0, "%s\ngives:\n%s\nnot:\n%s", code, have, want);
}

/* f(x, y): three products with a sigmoid, the last one the other way round. */
static const char silus[] =
    "program = thunder.load_text([[\n"
    "def silus(x: 'f32[2, 3]', y: 'f32[2, 3]'):\n"
    "    a = torch.sigmoid(x)\n"
    "    b = x * a\n"
    "    c = torch.sigmoid(b)\n"
    "    e = b * c\n"
    "    g = e + y\n"
    "    h = torch.sigmoid(g)\n"
    "    k = h * g\n"
    "    return k\n"
    "]], 'silus.py')\n";

static const char silu_pass[] =
    "function is_sigmoid_of(b, a)\n"
    "  local n = b.producer\n"
    "  return n and n.op == 'sigmoid' and n.args[1] == a\n"
    "end\n"
    "thunder.pass{name = 'silu', title = 'To SiLU', rule = 'x * sigmoid(x) -> silu(x)',\n"
    "  run = function(trace)\n"
    "    trace:visit(function(node)\n"
    "      if node.op ~= 'mul' then return end\n"
    "      local a, b = node.args[1], node.args[2]\n"
    "      if is_sigmoid_of(b, a) then return thunder.torch.silu(a), 'it is' end\n"
    "      if is_sigmoid_of(a, b) then return thunder.torch.silu(b), 'it is' end\n"
    "    end)\n"
    "  end}\n";

/* ------------------------------------------------------------------------------- the language */

START_TEST(expressions_print_and_statements_run)
{
    says("1 + 1", "2\n");
    says("'text', nil, {1, {2, x = 'y'}}", "text\tnil\t{1, {2, x = \"y\"}}\n");
    says("n = 3", "");
    says("print('n is', n)\nprint(n * 2)", "n is\t3\n6\n");
    says("t = {}; t.t = t; return #t", "0\n");
    run("t"); /* a table in itself is shown without end */
}
END_TEST

START_TEST(errors_name_script_and_line)
{
    const DiagItem *e = fails("local x = 1\nerror('boom')", "script-error");
    ck_text(e->message, "boom");
    ck_assert_ptr_nonnull(e->span.src);
    ck_assert_uint_eq(span_place(e->span).line, 2);
    ck_assert(str_starts(e->span.src->name, "test.lua"));

    e = fails("local t = nil\n\nreturn t.x", "script-error");
    ck_assert_uint_eq(span_place(e->span).line, 3);

    e = fails("x = = 3", "script-error");
    ck_assert_uint_eq(span_place(e->span).line, 1);

    e = fails("local function f()\n  error('deep')\nend\nf()", "script-error");
    ck_assert_uint_eq(span_place(e->span).line, 2);
    ck_assert(str_ends(e->note, ":4"));

    fails("error({})", "script-error");
    fails("error()", "script-error");
    fails("local function f() return f() + 1 end\nreturn f()", "script-error");
    says("1", "1\n"); /* the interpreter goes on */
}
END_TEST

START_TEST(session_errors_are_objects_for_scripts)
{
    says("ok, e = pcall(thunder.load, 'no/such/file.py')\nprint(ok, type(e.code), #e.message > 0)",
         "false\tstring\ttrue\n");
    run("print('it says: ' .. e)");
    ck_contains(sb_cstr(&said), "no/such/file.py");
    says("rethrown = not pcall(error, e)\nreturn rethrown", "true\n");
}
END_TEST

START_TEST(scripts_cannot_end_the_session)
{
    fails("os.exit(3)", "no-exit");
    fails("\33Lua not text", "script-error");
    fails("error(setmetatable({}, {__tostring = function() error('again') end}))", "script-error");
    fails("setmetatable({}, {__gc = function() end})\nstring.rep('x', 1 << 40)", "script-error");
    const DiagItem *e = fails("local t = {}\n"
                              "while true do t[#t + 1] = ('x'):rep(1 << 20) .. #t end",
                              "script-error");
    ck_text(e->message, "not enough memory");
    says("debug.sethook", "nil\n");
    says("getmetatable(thunder.tensor(1))", "thunder.tensor\n");
}
END_TEST

START_TEST(unfinished_text_is_recognised)
{
    ck_assert(script_incomplete(sc, S("for i = 1, 3 do")));
    ck_assert(script_incomplete(sc, S("thunder.pass{")));
    ck_assert(script_incomplete(sc, S("print(1")));
    ck_assert(script_incomplete(sc, S("--[[ a long remark")));
    ck_assert(!script_incomplete(sc, S("1 + 1")));
    ck_assert(!script_incomplete(sc, S("x = = 3")));
    ck_assert(!script_incomplete(sc, S("print(1)")));
}
END_TEST

START_TEST(endless_scripts_can_be_interrupted)
{
    static const char *const loops[] = {
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "coroutine.wrap(function() while true do end end)()",
        "local c = coroutine.wrap(function() while true do pcall(coroutine.yield) end end)\n"
        "while true do c() end",
    };
    for (size_t i = 0; i < ARRAY_LEN(loops); i++) {
        *session_interrupt(s) = 1;
        const DiagItem *e = fails(loops[i], "interrupted");
        ck_assert_int_eq(e->kind, DIAG_interrupt);
        *session_interrupt(s) = 0;
        diag_clear(&d);
        says("6 * 7", "42\n");
    }
}
END_TEST

START_TEST(files_run_with_their_path)
{
    char path[] = "/tmp/check_lua_XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *f = fdopen(fd, "w");
    fputs("#!/usr/bin/env thunder-repl\nprint(arg[0] ~= nil)\nerror('third line')\n", f);
    fclose(f);
    ck_assert(!script_run_file(sc, path, &d));
    remove(path);
    ck_text(sb_str(&said), "true\n");
    ck_error(&d, "script-error");
    ck_assert_uint_eq(span_place(d.first->span).line, 3);
    ck_assert(!script_run_file(sc, "no/such.lua", &d));
    ck_error(&d, "no-file");
}
END_TEST

/* ------------------------------------------------------------------------------------ reading */

START_TEST(traces_can_be_walked)
{
    run(silus);
    says("t = program:stage(0)\n"
         "for n in t:nodes() do print(n.op, n.qualified, n.out.name) end",
         "sigmoid\tltorch.sigmoid\ta\n"
         "mul\tltorch.mul\tb\n"
         "sigmoid\tltorch.sigmoid\tc\n"
         "mul\tltorch.mul\te\n"
         "add\tltorch.add\tg\n"
         "sigmoid\tltorch.sigmoid\th\n"
         "mul\tltorch.mul\tk\n");
    says("t:value('b').producer.op, #t:value('b').users, t:value('b').users[1].op",
         "mul\t2\tsigmoid\n");
    says("t:value('x').producer, t:value('nobody'), t:value('%x').is_input", "nil\tnil\ttrue\n");
    says("#t:find_op('sigmoid'), #t:find_op('.*m.*'), #t:find_op('ltorch%.mul'), "
         "#t:find_op('prims%.mul', -1)", "3\t6\t3\t3\n");
    says("local n, deepest = 0, 0\n"
         "for _, level in t:walk() do n = n + 1; deepest = math.max(deepest, level) end\n"
         "return n == t.size, deepest > 0", "true\ttrue\n");
    says("local n = 0; for _ in t:walk(0) do n = n + 1 end; return n", "7\n");
    says("local m = t:find_op('mul')[1]\n"
         "for sub, level in m:subnodes() do\n"
         "  print(sub.is_prim, sub.op, sub.out == m.out, level)\nend",
         "true\tmul\ttrue\t0\n");
    says("t.name, #t.inputs, t.outputs[1].name, t.output.name, t.kind",
         "silus\t2\tk\tk\tcomputation\n");
}
END_TEST

START_TEST(values_tell_their_types)
{
    run("p = thunder.load_text([[\ndef f(x: 'bf16[2, 6]', i: 'i64[3]'):\n"
        "    return x.view(3, 4)\n]])\n"
        "t = p:stage(0)");
    says("local v = t.outputs[1]\n"
         "return v.kind, v.dtype, v.shape, v.rank, v.device, v.numel, v.bytes, v.type",
         "tensor\tbf16\t{3, 4}\t2\tcpu\t12\t24\tcpu bf16[3, 4]\n");
    says("tostring(t.inputs[2])", "i: \"cpu i64[3]\"\n");
    says("t.inputs[1] == t:value('x'), t.inputs[1] == t.inputs[2], t.inputs[1].id < t.inputs[2].id",
         "true\tfalse\ttrue\n");
    fails("return t.inputs[1].nothing", "no-field");
}
END_TEST

START_TEST(arguments_are_lua_values)
{
    run("p = thunder.load_text([[\n"
        "def f(x: 'f32[2, 6]'):\n"
        "    # File: model.py:7 in forward, code: y = x.view(3, 4)\n"
        "    y = x.view(3, 4)\n"
        "    z = torch.sum(y, dim=[0, 1], keepdim=True, dtype=torch.float64)\n"
        "    w = y[1:3, None, 0]\n"
        "    c = torch.cat([y, y], 1)\n"
        "    return (z, w, c)\n"
        "]])\n"
        "t = p:stage(0)");
    says("local n = t:value('y').producer\nreturn n.loc.file, n.loc.line, n.loc.func, n.loc.code",
         "model.py\t7\tforward\ty = x.view(3, 4)\n");
    says("local n = t:value('z').producer\n"
         "return n.args.a == t:value('y'), n.args.dim, n.args.keepdim, n.args.dtype, n.args.n",
         "true\t{0, 1}\ttrue\tf64\t4\n");
    says("local key = t:value('w').producer.args.key\n"
         "return key[1].start, key[1].stop, key[1].step, key[2] == thunder.none, key[3]",
         "1\t3\tnil\ttrue\t0\n");
    says("local n = t:value('c').producer\nreturn n.args[1][1] == n.args[1][2], n.args.dim, "
         "#n.inputs, n:arg('dim')", "true\t1\t1\t1\n");
    says("t:value('y').producer:is('view'), t:value('y').producer:is('matmul')", "true\tfalse\n");
    fails("return t:value('y').producer:is('nice')", "no-fact");
    fails("return t:value('y').producer:arg('nice')", "no-argument");
    fails("return t.nice", "no-field");
}
END_TEST

START_TEST(builders_of_clang_leave_prims)
{
    says("local c = thunder.clang\n"
         "p = thunder.build('f', {{'x', 'i64', {2, 3}}, {'w', 'f32[3]'}}, function(x, w)\n"
         "  return c.where(c.lt(x, 1), c.add(x, w), c.sigmoid(2.5))\n"
         "end)\n"
         "local n = 0\n"
         "for node in p:stage(0):nodes() do assert(node.is_prim, node.op) n = n + 1 end\n"
         "return n > 3",
         "true\n");
    says("local c = thunder.clang\n"
         "p = thunder.build('s', {{'x', 'f32[2, 3]'}, {'i', 'i64[2]'}}, function(x, i)\n"
         "  local y = c.unsqueeze(c.transpose(x, {1, 0}), {0})\n"
         "  local z = c.take(c.reshape(y, {2, 3}), i, 1)\n"
         "  local s = c.compute_broadcast_shape({2, 1}, {3})\n"
         "  local u = thunder.numpy.add(z, c.full({2, 2}, 1.0))\n"
         "  return c.cat({u, c.slice_in_dim(x, 0, 2, {dim = 1})}, 1)\n"
         "end)\n"
         "return p:stage(0).outputs[1].shape[2]",
         "4\n");
    fails("thunder.build('g', {{'x', 'f32[3]'}}, function(x) return thunder.clang.take(x, 1) end)",
          "bad-argument");
    fails("thunder.clang.add(1, 2)", "not-building");
    fails("thunder.build('g', {{'x', 'f32[3]'}, {'y', 'f32[4]'}}, function(x, y)\n"
          "  return thunder.clang.add(x, y) end)",
          "bad-argument");
    fails("thunder.build('g', {{'x', 'f32[3]'}}, function(x) return thunder.clang.exp('a') end)",
          "bad-argument");
}
END_TEST

START_TEST(objects_outlive_what_they_came_from)
{
    run(silus);
    says("v = program:stage('last'):value('k')\nprogram = nil\ncollectgarbage()\ncollectgarbage()\n"
         "return v.name, v.origins[1].name, v.trace.name", "k\tk\tsilus\n");
}
END_TEST

/* ------------------------------------------------------------------------------------- passes */

START_TEST(a_pass_replaces_nodes_and_names_stay)
{
    run(silus);
    run(silu_pass);
    says("for n in program:stage('silu'):nodes() do print(n.op, n.out.name) end",
         "sigmoid\ta\nsilu\tb\nsigmoid\tc\nsilu\te\nadd\tg\nsigmoid\th\nsilu\tk\n");
    says("program:stage('silu'):verify(), program:stage('silu').made_by", "true\tTo SiLU\n");
    says("#program:stage('last'):find_op('sigmoid')", "0\n");
    says("program:bind('random', 1)\n"
         "local with = program:run('last')\nprogram:enable('silu', false)\n"
         "local without = program:run('last')\nprogram:enable('silu')\n"
         "return with[1]:close(without[1]), with.n", "true\t1\n");
    says("program:stage('silu'):value('b').origins[1].name", "b\n");
}
END_TEST

START_TEST(a_pass_is_stepped_by_rule)
{
    run(silus);
    run(silu_pass);
    says("program:go('cse')\n"
         "while true do\n"
         "  local c = program:step()\n"
         "  if not c or c.name ~= 'silu' then break end\n"
         "  c.trace:verify()\n"
         "  print(c.rule, #c.trace:find_op('silu'))\n"
         "end",
         "1\t1\n2\t2\n0\t3\n"); /* the third completes the stage */
    Program *p = session_current(s);
    int slot = program_find_slot(p, S("silu"));
    ck_assert(program_slot_fuel(s, p, (uint32_t)slot, 2, &d));
    says("#program:stage('silu'):find_op('silu')", "2\n");
    says("program:go('silu').partial", "false\n"); /* not the point that step came through */
    ck_assert(program_slot_fuel(s, p, (uint32_t)slot, UINT64_MAX, &d));
    ck_assert(program_slot_skip(s, p, (uint32_t)slot, 1, true, &d));
    says("local out = {}\n"
         "for _, n in ipairs(program:stage('silu'):find_op('silu')) do\n"
         "  out[#out + 1] = n.out.name\nend\n"
         "return out", "{\"b\", \"k\"}\n");
}
END_TEST

START_TEST(applications_are_in_the_rule_log)
{
    run(silus);
    run(silu_pass);
    run("program:stage('silu')");
    const RuleLog *log = session_log(s);
    uint32_t found = 0;
    for (uint32_t i = 0; i < log->n; i++) {
        if (strcmp(log_at(log, i)->kind->pass, "silu") != 0)
            continue;
        ck_assert_str_eq(log_at(log, i)->kind->rule, "x * sigmoid(x) -> silu(x)");
        ck_text(rule_reason(log_at(log, i)), "it is");
        ck_assert_int_eq(log_at(log, i)->verdict, RULE_done);
        ck_assert_uint_ne(log_at(log, i)->subject, 0);
        found++;
    }
    ck_assert_uint_eq(found, 3);
}
END_TEST

/* A pass over silus() with this visitor, run up to its stage. */
static void define(const char *visitor)
{
    StrBuf code = {0};
    run(silus);
    sb_printf(&code, "thunder.pass{name = 'p', run = function(trace)\n%s\nend}", visitor);
    run(sb_cstr(&code));
    sb_free(&code);
}

START_TEST(an_existing_value_can_replace_a_result)
{
    define("trace:visit(function(n) if n.op == 'sigmoid' then return n.args[1] end end)");
    says("for n in program:stage('p'):nodes() do print(n.op, n.args[1].name, n.args[2].name) end",
         "mul\tx\tx\nmul\tb\tb\nadd\te\ty\nmul\tg\tg\n");
    says("program:stage('p'):verify()", "true\n");
    says("local names = {}\n"
         "for _, o in ipairs(program:stage('p'):value('x').origins) do\n"
         "  names[#names + 1] = o.name\nend\n"
         "return names", "{\"x\", \"a\"}\n");
}
END_TEST

START_TEST(nodes_can_be_built_around_a_replacement)
{
    define("trace:visit(function(n)\n"
           "  if n.op == 'add' then\n"
           "    local a, b = n.args[1], n.args[2]\n"
           "    return (a * 2 + b * 2) / 2\n"
           "  end\nend)");
    says("for n in program:stage('p'):nodes() do if n.op ~= 'sigmoid' then print(n.op) end end",
         "mul\nmul\nmul\nmul\nadd\ntrue_divide\nmul\n");
    says("program:bind('random', 3)\n"
         "local a, b = program:run('p')[1], program:run('cse')[1]\n"
         "return a:close(b), program:stage('p'):value('g').producer.op", "true\ttrue_divide\n");
}
END_TEST

START_TEST(results_in_a_tuple_are_replaced_one_by_one)
{
    run("program = thunder.load_text([[\n"
        "def f(x: 'f32[4, 6]'):\n"
        "    a, b = torch.split(x, 3, 1)\n"
        "    v, i = torch.max(x, 1)\n"
        "    return (a, b, v, i)\n"
        "]])\n"
        "thunder.pass{name = 'p', run = function(trace)\n"
        "  trace:visit(function(n)\n"
        "    if n.op == 'split' then return n.args[1][{thunder.slice(), thunder.slice(0, 3)}],\n"
        "      n.args[1][{thunder.slice(), thunder.slice(3, 6)}] end\n"
        "    return thunder.torch.max(-(-n.args[1]), 1)\n"
        "  end)\n"
        "end}");
    says("for n in program:stage('p'):nodes() do\n"
         "  local names = {}\n"
         "  for _, v in ipairs(n.outs) do names[#names + 1] = v.name end\n"
         "  if n.op ~= 'neg' then print(n.op, table.concat(names, ' ')) end\n"
         "end\n"
         "program:bind('random', 2)\n"
         "local got, want = program:run('p'), program:run('cse')\n"
         "local same = program:stage('p'):verify()\n"
         "for i = 1, 4 do same = same and got[i]:close(want[i]) end\n"
         "return same",
         "getitem\ta\ngetitem\tb\nmax_with_indices\tv i\ntrue\n");
}
END_TEST

START_TEST(a_second_visit_sees_the_first)
{
    define("trace:visit(function(n)\n"
           "  if n.op == 'sigmoid' then return thunder.torch.tanh(n.args[1]) end\nend)\n"
           "local seen = #trace:find_op('tanh')\n"
           "trace:visit(function(n)\n"
           "  if n.op == 'tanh' then return thunder.torch.relu(n.args[1]) end\nend)\n"
           "print(seen, #trace:find_op('tanh'), #trace:find_op('relu'))");
    says("program:stage('p'):verify()", "3\t0\t3\ntrue\n");
    says("program:stage('p'):value('a').producer.op", "relu\n");
}
END_TEST

START_TEST(a_pass_that_only_looks_changes_nothing)
{
    define("local n = 0\nfor _ in trace:nodes() do n = n + 1 end\nprint(n)");
    says("program:stage('p'):equals(program:stage('cse'))", "7\ntrue\n");
}
END_TEST

START_TEST(unused_nodes_can_be_removed)
{
    define("trace:visit(function(n)\n"
           "  if n.op == 'mul' and n.out.name == 'k' then return n.args[2] end\n"
           "end)\n"
           "trace:visit(function(n)\n"
           "  if n.op == 'sigmoid' and #n.out.users == 0 then trace:remove(n) end\nend)");
    says("#program:stage('p'):find_op('sigmoid'), program:stage('p').outputs[1].name", "2\tg\n");
}
END_TEST

typedef struct BadPass {
    const char *visitor, *code, *part; /* of the message or the note */
} BadPass;

static const BadPass bad_passes[] = {
    {"trace:visit(function(n) if n.op == 'add' then return n.args[1] > 1 end end)", "script-error",
     "compare"},
    {"trace:visit(function(n) if n.op == 'add' then return thunder.torch.sum(n.args[1]) end end)",
     "type-mismatch", "its replacement is cpu f32[], not cpu f32[2, 3]"},
    {"trace:visit(function(n) if n.op == 'add' then return n.args[1], n.args[2] end end)",
     "bad-replacement", "it has 1 result(s), and the visitor returned 2"},
    {"trace:visit(function(n) if n.op == 'add' then return 3 end end)", "bad-replacement", "g"},
    {"trace:visit(function(n) if n.op == 'add' then return n.out end end)", "undefined-value",
     "g is not computed at this place"},
    {"trace:visit(function(n) if n.op == 'sigmoid' then return false end end)", "undefined-value",
     "a was removed, but mul needs it"},
    {"trace:visit(function(n) if n.op == 'mul' then return false end end)", "undefined-value",
     "was removed"},
    {"trace:visit(function(n) thunder.torch.add_(n.args[1], 1) end)", "bad-argument",
     "writes into its argument"},
    {"trace:visit(function(n) return thunder.torch.sum(n.args[1], {dim = 'x', nothing = 1}) end)",
     "bad-argument", "sum"},
    {"trace:visit(function(n) return thunder.torch.matmul(n.args[1], n.args[1]) end)",
     "bad-argument", "while rewriting"},
    {"trace:visit(function(n) return thunder.torch.slu(n.args[1]) end)", "unknown-op",
     "unknown operator torch.slu"},
    {"trace:visit(function(n) trace:visit(function() end) end)", "nested-visit", "visit"},
    {"pcall(trace.visit, trace, function(n) error('x') end)", "nested-visit",
     "ended with an error"},
    {"trace:remove(trace:find_op('mul')[1])", "not-visiting", ""},
    {"return thunder.torch.relu(trace.inputs[1])", "not-building", "thunder.build"},
    {"return trace.inputs[1] + 1", "not-building", ""},
    {"program:next()", "busy", "while a pass"},
    {"thunder.build('f', {}, function() end)", "busy", "while a pass"},
    {"error('my own')", "script-error", "my own"},
};

START_TEST(errors_in_a_pass_end_the_pass_only)
{
    const BadPass *bad = &bad_passes[_i];
    define(bad->visitor);
    const DiagItem *e = fails("program:stage('p')", bad->code);
    StrBuf text = {0};
    sb_printf(&text, "%.*s %.*s", STR(e->message), STR(e->note));
    ck_contains(sb_cstr(&text), bad->part);
    sb_free(&text);
    ck_assert_ptr_nonnull(e->span.src);
    ck_assert(str_starts(e->span.src->name, "test.lua"));
    if (strcmp(bad->part, "ended with an error") != 0) /* that one is found after the function */
        ck_assert_uint_ge(span_place(e->span).line, 2);
    ck_assert_uint_gt(e->help.n, 0); /* such as what to switch off */
    diag_clear(&d);
    says("program:enable('p', false)\nreturn program:stage('last'):verify()", "true\n");
}
END_TEST

START_TEST(values_of_other_traces_are_refused)
{
    define("trace:visit(function(n) return other end)");
    run("f = thunder.build('f', {{'x', 'f32', {2, 3}}}, function(x) return x + 1 end)\n"
        "other = f.inputs[1]");
    const DiagItem *e = fails("program:stage('p')", "foreign-value");
    ck_text(e->message, "x is a value of another trace (f)");
}
END_TEST

START_TEST(a_pass_can_be_defined_again)
{
    run(silus);
    run(silu_pass);
    says("#program:stage('silu'):find_op('silu')", "3\n");
    run("thunder.pass{name = 'silu', run = function(trace) end}");
    says("#program:stage('silu'):find_op('silu')", "0\n");
    fails("thunder.pass{name = 'cse', run = function(trace) end}", "pass-name");
    fails("thunder.pass{name = 'two words', run = function(trace) end}", "bad-name");
    fails("thunder.pass{name = 'p'}", "bad-pass");
    fails("thunder.pass{name = 'p', runn = print, run = print}", "bad-pass");
}
END_TEST

START_TEST(options_and_refusals_reach_the_session)
{
    define("print(trace:option('mode', 'plain'))\n"
           "trace:visit(function(n) if n.op == 'add' then trace:refuse(n, 'too dear') end end)");
    says("_ = program:stage('p')\nreturn _.name", "plain\nsilus\n");
    run("thunder.option('p.mode', 'fast')");
    says("_ = program:stage('p')\nreturn _.name", "fast\nsilus\n");
    const RuleLog *log = session_log(s);
    const RuleEntry *last = log_at(log, log->n - 1);
    ck_assert_int_eq(last->verdict, RULE_refused);
    ck_text(rule_reason(last), "too dear");
}
END_TEST

/* ----------------------------------------------------------------------------------- building */

START_TEST(programs_can_be_built)
{
    says("p = thunder.build('affine', {{'x', 'f32', {2, 3}}, {'w', 'f32[3]'}}, function(x, w)\n"
         "  local y = (x * w):named('y')\n"
         "  return -(2 - y) + x[0] / 4, y:sum(1), y:lt(0.5)\n"
         "end)\n"
         "return p, p.name, #p.outputs, p.outputs[3].dtype, p:stage(0):value('y').shape",
         "program affine: 2 inputs, 9 stages\taffine\t3\tb8\t{2, 3}\n");
    says("p:bind{x = {{1, 2, 3}, {4, 5, 6}}, w = {1, 0, -1}}\n"
         "local r = p:run('last')\n"
         "return r[1]:tolist(), r[2]:tolist(), r[3]:tolist()",
         "{{-0.75, -1.5, -4.25}, {2.25, -1.5, -7.25}}\t{-2.0, -2.0}\t"
         "{{false, true, true}, {false, true, true}}\n");
    says("p:run(0)[1]:close(p:run('last')[1])", "true\n");
}
END_TEST

START_TEST(built_programs_print_and_parse_equal)
{
    run("p = thunder.build('f', {{'x', 'f32', {4, 6}}, {'t9', 'bf16', {6}}, {'m', 'b8', {}}},\n"
        "  function(x, w, m)\n"
        "    local h = thunder.torch.relu(x):to('bf16') * w\n"
        "    local a = thunder.torch.cat({h, h}, {dim = -1})\n"
        "    local b = thunder.torch.softmax(a, {dim = 1, dtype = 'f32'})\n"
        "    local c = b[{thunder.slice(0, 4, 2), thunder.none, thunder.ellipsis}]\n"
        "    local e = thunder.torch.where(m, c, 0.5)\n"
        "    return thunder.list{e, thunder.dict{{'h', h}}}\n"
        "  end)");
    says("local text = p:stage(0):text()\n"
         "q = thunder.load_text(text, 'again.py')\n"
         "return q:stage(0):equals(p:stage(0)), q:stage(0):verify()",
         "true\ttrue\n");
}
END_TEST

START_TEST(built_programs_may_write_in_place)
{
    says("p = thunder.build('f', {{'x', 'f32', {3}}}, function(x)\n"
         "  local y = x:mul(1)\n  y:add_(1)\n  return y * 2\nend)\n"
         "p:bind{x = {1, 2, 3}}\n"
         "return p:run(0)[1]:tolist(), p:run('last')[1]:tolist()",
         "{4.0, 6.0, 8.0}\t{4.0, 6.0, 8.0}\n");
}
END_TEST

static const struct {
    const char *code, *error;
} bad_builds[] = {
    {"thunder.build('a b', {{'x', 'f32', {2}}}, function(x) return x end)", "bad-name"},
    {"thunder.build('f', {{'x', 'f33', {2}}}, function(x) return x end)", "bad-input"},
    {"thunder.build('f', {{'x', 'f32', {-2}}}, function(x) return x end)", "bad-input"},
    {"thunder.build('f', {{'x', 'f32', {1 << 40, 1 << 40}}}, function(x) return x end)",
     "bad-input"},
    {"thunder.build('f', {{'x', 'f32', 2}}, function(x) return x end)", "bad-input"},
    {"thunder.build('f', {{'x', 'f32'}, {'x', 'f32'}}, function(x) return x end)", "name-taken"},
    {"thunder.build('f', {{'1', 'f32'}}, function(x) return x end)", "bad-name"},
    {"thunder.build('f', {{1, 'f32', {2}}}, function(x) return x end)", "bad-input"},
    {"thunder.build('f', {{'x', 'f32', {2}}}, function(x)\n"
     "  return x + setmetatable({}, {__name = {}})\nend)", "bad-argument"},
    {"thunder.build('f', {'x'}, function(x) return x end)", "bad-input"},
    {"thunder.build('f', {{'x', 'f32', {2}}}, function(x) end)", "no-output"},
    {"thunder.build('f', {{'x', 'f32', {2}}}, function(x) return print end)", "bad-argument"},
    {"thunder.build('f', {{'x', 'f32', {2}}}, function(x) return x + {y = 1} end)", "bad-argument"},
    {"thunder.build('f', {{'x', 'f32', {2}}}, function(x) return x:nothing() end)", "no-field"},
    {"thunder.build('f', {{'x', 'f32', {2}}}, function(x) return x .. 'a' end)", "script-error"},
    {"thunder.build('f', {{'x', 'f32', {2}}}, function(x) return x:reshape(3) end)",
     "bad-argument"},
    {"local t = {}; t[1] = t\n"
     "thunder.build('f', {{'x', 'f32', {2}}}, function(x) return thunder.torch.cat(t) end)",
     "bad-argument"},
    {"local kept\nthunder.build('f', {{'x', 'f32', {2}}}, function(x) kept = x return x end)\n"
     "return kept + 1", "not-building"},
    {"local kept\nthunder.build('f', {{'x', 'f32', {2}}}, function(x) kept = x return x end)\n"
     "thunder.build('g', {{'x', 'f32', {2}}}, function(x) return x + kept end)", "foreign-value"},
};

START_TEST(bad_builds_are_refused)
{
    fails(bad_builds[_i].code, bad_builds[_i].error);
    ck_assert_uint_le(session_program_count(s), 1); /* what failed is no program */
    diag_clear(&d);
    says("thunder.build('g', {x = {'f32', {2}}}, function(x) return x + 1 end).name", "g\n");
}
END_TEST

/* -------------------------------------------------------------------------- programs, tensors */

START_TEST(the_cursor_moves)
{
    run(silus);
    says("local c = program.cursor\nreturn c.name, c.position, c.rule", "acquired\t0\t0\n");
    says("program:next().name, program:next().name, program:back().name, program:forward().name",
         "inplace\tdce\tinplace\tdce\n");
    says("program:go('last').name, program:next(), program:go(0).name", "plan\tnil\tacquired\n");
    says("program:stages()[1].name, #program:stages(), program:stages()[4].pass",
         "acquired\t9\tfold\n");
    fails("program:go('nowhere')", "no-stage");
    says("#thunder.programs(), thunder.current() == program", "1\ttrue\n");
}
END_TEST

START_TEST(tensors_are_read_and_made)
{
    says("local t = thunder.tensor({{1, 2, 3}, {4, 5, 6}})\n"
         "return t.dtype, t.shape, t.numel, t:get(1, 2), t:get(-1, 0), t:get(0):tolist(), t:sum()",
         "i64\t{2, 3}\t6\t6\t4\t{1, 2, 3}\t21.0\n");
    says("thunder.tensor(1.5).dtype, thunder.tensor({true}).dtype, thunder.tensor({1, 0.5}).dtype, "
         "thunder.tensor({{}, {}}).shape", "f32\tb8\tf32\t{2, 0}\n");
    says("local t = thunder.tensor({1, 2}, 'bf16')\n"
         "return t:to('f64'):get(1), t:mean(), t:min(), t:max(), thunder.tensor(7):item()",
         "2.0\t1.5\t1.0\t2.0\t7\n");
    says("thunder.tensor({1, 2}):close(thunder.tensor({1, 2})), "
         "thunder.tensor({1., 2}):compare(thunder.tensor({1., 3})).wrong", "true\t1\n");
    fails("thunder.tensor({{1, 2}, {3}})", "bad-tensor");
    fails("thunder.tensor({'x'})", "bad-tensor");
    fails("thunder.tensor({1, 2}):get(2)", "bad-index");
    fails("thunder.tensor({1, 2}):get(0, 0)", "bad-index");
    fails("thunder.tensor({1, 2}):item()", "bad-item");
}
END_TEST

START_TEST(tensors_are_saved_and_read_again)
{
    says("path = os.tmpname()\n"
         "thunder.save(path, {a = {{1, 2}, {3, 4}}, b = thunder.tensor({1.5}, 'f64')})\n"
         "local t = thunder.tensors(path)\n"
         "os.remove(path)\n"
         "return t.a:tolist(), t.a.dtype, t.b:item(), t.b.dtype",
         "{{1, 2}, {3, 4}}\ti64\t1.5\tf64\n");
    says("pcall(thunder.tensors, 'no/such.safetensors')\nreturn 1", "1\n");
}
END_TEST

START_TEST(bindings_are_checked)
{
    run(silus);
    fails("program:bind{z = {1}}", "no-input");
    fails("program:bind{x = {1, 2}}", "wrong-input");
    says("program:bind{x = {{1, 2, 3}, {4, 5, 6}}}\nreturn program:binding('x').dtype, "
         "program:binding('y')", "f32\tnil\n");
    says("local r = program:stage(0):run{x = program:binding('x'), y = {{0, 0, 0}, {0, 0, 0}}}\n"
         "return r[1].shape", "{2, 3}\n");
    says("program:bind('random', 5)\n"
         "local r = program:run('cse', {keep = true, rounding = 'f64'})\n"
         "return r.values.b.dtype, r.values.k:close(r[1])", "f64\ttrue\n");
}
END_TEST

/* ------------------------------------------------------------------------------------- events */

START_TEST(events_reach_handlers)
{
    run(silus);
    run(silu_pass);
    says("thunder.on('pass', function(e) print(e.event, e.pass, e.stage, e.applied) end)\n"
         "off = thunder.on('rule', function(e) print(e.pass, e.rule, e.verdict, e.subject) end)\n"
         "local _ = program:stage('silu')",
         "pass\tinplace\tinplace\t0\npass\tdce\tdce\t0\npass\tfold\tfold\t0\npass\tcse\tcse\t0\n"
         "silu\tx * sigmoid(x) -> silu(x)\tdone\tb\n"
         "silu\tx * sigmoid(x) -> silu(x)\tdone\te\n"
         "silu\tx * sigmoid(x) -> silu(x)\tdone\tk\n"
         "pass\tsilu\tsilu\t3\n");
    says("off()\nprogram:bind('random')\nlocal n, results = 0, 0\n"
         "thunder.on('node', function(e)\n"
         "  n = n + 1\n  for name, t in pairs(e.results) do results = results + t.numel end\nend)\n"
         "program:run('cse')\nprint(n, results)",
         "7\t42\n");
}
END_TEST

/* Kernels are compiled in between: every kind of event has a name. */
START_TEST(compiling_kernels_is_an_event)
{
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    run(silus);
    says("local kernels = 0\nthunder.on('compile', function(e) kernels = e.total end)\n"
         "program:bind('random')\nprogram:run('last')\nprint(kernels)", "1\n");
}
END_TEST

START_TEST(a_failing_handler_is_switched_off)
{
    run(silus);
    run("thunder.on('pass', function(e) error('in the handler') end)\n"
        "thunder.on('pass', function(e) print('other') end)\nprogram:next()");
    ck_contains(sb_cstr(&said), "in the handler");
    ck_contains(sb_cstr(&said), "switched off");
    ck_contains(sb_cstr(&said), "other\n");
    says("program:next()\nreturn 0", "other\n0\n");
    fails("thunder.on('nothing', print)", "script-error");
    run("thunder.on('pass_begin', function(e) e.program:next() end)\nprogram:next()");
    ck_contains(sb_cstr(&said), "an event handler is running");
}
END_TEST

static bool echo(void *user, Str line, StrBuf *out)
{
    (void)user;
    sb_printf(out, "<%.*s>", STR(line));
    return !str_is(line, "bad");
}

START_TEST(commands_return_what_they_print)
{
    fails("thunder.command('list')", "no-commands");
    script_set_command(sc, echo, NULL);
    says("thunder.command('list 2')", "<list 2>\ttrue\n");
    says("thunder.command('bad')", "<bad>\tfalse\n");
}
END_TEST

/* ----------------------------------------------------------------------------------- examples */

static const char *run_example(const char *name)
{
    StrBuf path = {0};
    sb_printf(&path, SOURCE_DIR "/examples/%s", name);
    sb_clear(&said);
    script_run_file(sc, sb_cstr(&path), &d);
    sb_free(&path);
    ck_no_errors(&d);
    return sb_cstr(&said);
}

START_TEST(example_silu)
{
    const char *text = run_example("silu.lua");
    ck_contains(text, "act = ltorch.mul(gate, sigmoid)");
    ck_contains(text, "act = ltorch.silu(gate");
    ck_contains(text, "2 products are silu now; largest difference of the results: ");
}
END_TEST

START_TEST(example_bytes_by_op)
{
    const char *text = run_example("bytes_by_op.lua");
    ck_contains(text, "stage cse: KiB moved by operator");
    ck_contains(text, "total");
    ck_contains(text, "100.0%");
    ck_contains(text, "linear                            4");
}
END_TEST

START_TEST(example_build)
{
    const char *text = run_example("build.lua");
    ck_contains(text, "def rms_linear(x, scale, w):");
    ck_contains(text, "result = ltorch.linear(normalised, w");
    ck_contains(text, "first element 0.365148, expected 0.365148");
}
END_TEST

/* The loss falls from that of guessing, and falls alike every time. */
START_TEST(example_train)
{
    double first, last;
    run("steps = 0");
    ck_contains(run_example("train.lua"), "no steps were made");
    run("steps = 8");
    const char *text = run_example("train.lua"), *line = strstr(text, "\nloss ");
    ck_contains(text, "steps 1 to 8");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(sscanf(line, "\nloss %lf at first, %lf at last", &first, &last), 2);
    ck_assert_double_eq_tol(first, log(32), 0.2); /* 32 kinds of characters */
    ck_assert_double_lt(last, first - 0.5);
    char *once = strdup(text);
    ck_assert_str_eq(run_example("train.lua"), once);
    free(once);
}
END_TEST

/* The programs of examples/ give the same at every stage. */
/* Without onednn, whose sums in f32 differ by what random weights of this size make of rounding. */
START_TEST(example_programs_run)
{
    ExecList l;
    ck_assert(exec_parse_list(session_executors(s), S("c,interp"), &l, &d));
    ck_assert(session_set_executors(s, &l));
    static const char code[] = "local file = '%s'\n"
                               "for _, p in ipairs{thunder.load(file)} do\n"
                               "  p:bind('random', 11)\n"
                               "  local want = p:run(0)\n"
                               "  for _, stage in ipairs(p:stages()) do\n"
                               "    local got = p:run(stage.position)\n"
                               "    for i = 1, want.n do assert(got[i]:close(want[i])) end\n"
                               "  end\n"
                               "end\n";
    glob_t found;
    ck_assert_int_eq(glob(SOURCE_DIR "/examples/*.py", 0, NULL, &found), 0);
    ck_assert_uint_ge(found.gl_pathc, 2);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        StrBuf text = {0};
        sb_printf(&text, code, found.gl_pathv[i]);
        run(sb_cstr(&text));
        sb_free(&text);
    }
    globfree(&found);
}
END_TEST

/* Every ```lua block of docs/lua.md runs, in order, in one session. */
START_TEST(snippets_of_the_manual_run)
{
    static char text[1 << 16];
    ck_assert_int_eq(chdir(SOURCE_DIR), 0);
    FILE *f = fopen("docs/lua.md", "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    uint32_t blocks = 0;
    for (char *at = text; (at = strstr(at, "```lua\n")) != NULL; blocks++) {
        at += strlen("```lua\n");
        char *end = strstr(at, "```");
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        run(at);
        at = end + 1;
    }
    ck_assert_uint_ge(blocks, 7);
}
END_TEST

/* Every name of the manual, asked of every kind of object and called with arguments of every kind:
 * an error or an answer, and the session goes on. */
START_TEST(no_argument_harms_the_session)
{
    ck_assert_int_eq(chdir(SOURCE_DIR), 0);
    run(silus);
    run("local names = {}\n"
        "for words in io.open('docs/lua.md'):read('a'):gmatch('`([^`\\n]+)`') do\n"
        "  local name = words:match('^[%a_]+')\n"
        "  if name and name ~= 'save' and name ~= 'print' then names[name] = true end\n"
        "end\n"
        "program:bind('random', 1)\n"
        "local t = program:stage('cse')\n"
        "local objects = {thunder, program, t, t:find_op('mul')[1], t:value('b'),\n"
        "  thunder.tensor({1, 2}), thunder.none, thunder.slice(1), thunder.list{}, thunder.torch}\n"
        "local values = {false, 0, -1, 1 << 62, 0/0, '', 'b', 'random', {}, {x = 1}, {{}}, print,\n"
        "  coroutine.create(print), table.unpack(objects)}\n"
        "calls = 0\n"
        "for name in pairs(names) do\n"
        "  for _, o in ipairs(objects) do\n"
        "    local ok, f = pcall(function() return o[name] end)\n"
        "    if ok and type(f) == 'function' then\n"
        "      for i, a in ipairs(values) do\n"
        "        local b = values[i * 7 % #values + 1]\n"
        "        for _, arguments in ipairs{{o}, {o, a}, {o, a, b}, {a}, {a, b}} do\n"
        "          calls = calls + 1\n"
        "          local _, answer = pcall(f, table.unpack(arguments))\n"
        "          pcall(tostring, answer)\n"
        "        end\n"
        "      end\n"
        "    end\n"
        "  end\n"
        "end\n");
    says("return calls > 3000, 6 * 7", "true\t42\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lua");
    TCase *tc = tcase_create("lua");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    suite_add_tcase(suite, tc);
    if (!script_available())
        return EXIT_SUCCESS;
    tcase_add_test(tc, expressions_print_and_statements_run);
    tcase_add_test(tc, errors_name_script_and_line);
    tcase_add_test(tc, session_errors_are_objects_for_scripts);
    tcase_add_test(tc, scripts_cannot_end_the_session);
    tcase_add_test(tc, unfinished_text_is_recognised);
    tcase_add_test(tc, endless_scripts_can_be_interrupted);
    tcase_add_test(tc, files_run_with_their_path);
    tcase_add_test(tc, traces_can_be_walked);
    tcase_add_test(tc, values_tell_their_types);
    tcase_add_test(tc, arguments_are_lua_values);
    tcase_add_test(tc, builders_of_clang_leave_prims);
    tcase_add_test(tc, objects_outlive_what_they_came_from);
    tcase_add_test(tc, a_pass_replaces_nodes_and_names_stay);
    tcase_add_test(tc, a_pass_is_stepped_by_rule);
    tcase_add_test(tc, applications_are_in_the_rule_log);
    tcase_add_test(tc, an_existing_value_can_replace_a_result);
    tcase_add_test(tc, nodes_can_be_built_around_a_replacement);
    tcase_add_test(tc, results_in_a_tuple_are_replaced_one_by_one);
    tcase_add_test(tc, a_second_visit_sees_the_first);
    tcase_add_test(tc, a_pass_that_only_looks_changes_nothing);
    tcase_add_test(tc, unused_nodes_can_be_removed);
    tcase_add_loop_test(tc, errors_in_a_pass_end_the_pass_only, 0, (int)ARRAY_LEN(bad_passes));
    tcase_add_test(tc, values_of_other_traces_are_refused);
    tcase_add_test(tc, a_pass_can_be_defined_again);
    tcase_add_test(tc, options_and_refusals_reach_the_session);
    tcase_add_test(tc, programs_can_be_built);
    tcase_add_test(tc, built_programs_print_and_parse_equal);
    tcase_add_test(tc, built_programs_may_write_in_place);
    tcase_add_loop_test(tc, bad_builds_are_refused, 0, (int)ARRAY_LEN(bad_builds));
    tcase_add_test(tc, the_cursor_moves);
    tcase_add_test(tc, tensors_are_read_and_made);
    tcase_add_test(tc, tensors_are_saved_and_read_again);
    tcase_add_test(tc, bindings_are_checked);
    tcase_add_test(tc, events_reach_handlers);
    tcase_add_test(tc, compiling_kernels_is_an_event);
    tcase_add_test(tc, a_failing_handler_is_switched_off);
    tcase_add_test(tc, commands_return_what_they_print);
    tcase_add_test(tc, example_silu);
    tcase_add_test(tc, example_bytes_by_op);
    tcase_add_test(tc, example_build);
    tcase_add_test(tc, example_train);
    tcase_add_test(tc, example_programs_run);
    tcase_add_test(tc, no_argument_harms_the_session);
    tcase_add_test(tc, snippets_of_the_manual_run);
    return run_suite(suite);
}
