/*
 * torch.c - registering the torch language.
 *
 * Input: torch.def. Output: an operator per row, plus one per in-place form. The idea: a row says
 * only what cannot be derived. `~` in its spellings is its name, torch.~ is one of them unless
 * written out; a spelling without a signature has the canonical one, in which torch functions call
 * the first tensor `input`, methods and ATen `self`, and the second operand is `other`; NAME_ is
 * computed as NAME and then written into the first argument.
 */
#include "torch.h"

#include "lang.h"

/* Writes signature text with parameters a and b under the names that callers of `name` use. */
static void put_signature(Str name, Str sig, StrBuf *out)
{
    bool method = str_starts(name, "Tensor.") || str_starts(name, "aten.");
    const char *first = method ? "self" : "input";
    while (sig.n) {
        Str item = str_trim(str_cut(&sig, ','));
        size_t end = 0;
        while (end < item.n && item.p[end] != ':' && item.p[end] != '=')
            end++;
        Str word = str_trim(str_sub(item, 0, end));
        if (str_is(word, "a"))
            sb_printf(out, "%s>", first);
        else if (str_is(word, "b"))
            sb_puts(out, "other>");
        sb_add(out, item);
        if (sig.n)
            sb_puts(out, ", ");
    }
}

/* Takes "NAME(SIGNATURE)" apart. */
static void split_item(Str item, Str *name, Str *sig)
{
    size_t paren = str_find(item, '(', 0);
    *name = str_trim(str_sub(item, 0, paren));
    *sig = paren == SIZE_MAX ? (Str){0} : str_sub(item, paren + 1, item.n - paren - 2);
}

static void put_name(Str pattern, Str row, StrBuf *out)
{
    for (size_t i = 0; i < pattern.n; i++) {
        if (pattern.p[i] == '~')
            sb_add(out, row);
        else
            sb_putc(out, pattern.p[i]);
    }
}

/* operator.add -> operator.iadd, aten.add.Tensor -> aten.add_.Tensor, Tensor.add -> Tensor.add_. */
static void put_in_place_name(Str name, StrBuf *out)
{
    if (str_starts(name, "op.")) {
        Str op = str_sub(name, 3, SIZE_MAX);
        if (str_ends(op, "_"))
            op.n--;
        sb_printf(out, "op.i%.*s", STR(op));
        return;
    }
    size_t dot = str_find(name, '.', 0);
    size_t second = dot == SIZE_MAX ? SIZE_MAX : str_find(name, '.', dot + 1);
    if (str_starts(name, "aten.") && second != SIZE_MAX) {
        sb_add(out, str_sub(name, 0, second));
        sb_putc(out, '_');
        sb_add(out, str_sub(name, second, SIZE_MAX));
        return;
    }
    sb_add(out, name);
    sb_putc(out, '_');
}

/* One spelling of the row, or of its in-place form; items marked "!" are in-place only, operators
 * with swapped operands have no in-place form. */
static void put_spelling(Str item, Str row, Str canonical, bool in_place, StrBuf *out)
{
    bool only_in_place = item.p[0] == '!';
    Str name, sig;
    split_item(str_sub(item, only_in_place ? 1 : 0, SIZE_MAX), &name, &sig);
    if (only_in_place ? !in_place : in_place && str_starts(name, "op.") && sig.p)
        return;
    StrBuf full = {0};
    put_name(name, row, &full);
    name = sb_str(&full);
    if (out->n)
        sb_puts(out, "; ");
    if (in_place && !only_in_place)
        put_in_place_name(name, out);
    else
        sb_add(out, name);
    sb_putc(out, '(');
    put_signature(name, sig.p ? sig : canonical, out);
    sb_putc(out, ')');
    sb_free(&full);
}

/* Whether torch.NAME is among the spellings written in the table. */
static bool names_itself(Str spellings)
{
    while (spellings.n) {
        Str item = str_trim(str_cut(&spellings, ';'));
        if (str_starts(item, "torch.~(") || str_is(item, "torch.~"))
            return true;
    }
    return false;
}

static const char *spellings_of(Registry *r, const OpRow *row, bool in_place)
{
    StrBuf out = {0};
    Str rest = str_from(row->spellings), canonical = str_from(row->signature);
    Str name = str_from(row->name);
    if (!names_itself(rest))
        put_spelling(S("torch.~"), name, canonical, in_place, &out);
    while (rest.n) {
        Str item = str_trim(str_cut(&rest, ';'));
        if (item.n)
            put_spelling(item, name, canonical, in_place, &out);
    }
    Str text = arena_str(&r->arena, sb_str(&out));
    sb_free(&out);
    return text.p;
}

/* ----------------------------------------------------------------------------- in-place forms */

static bool can_cast(DType from, DType to)
{
    return dtype_info[from].category <= dtype_info[to].category;
}

static void check_target(Build *b, Arg result, Arg target)
{
    Type r = arg_type(b, result), t = arg_type(b, target);
    if (b->failed)
        return;
    if (!can_cast((DType)r.dtype, (DType)t.dtype))
        build_error(b, 0, "result type %s can't be cast to the desired output type %s",
                    dtype_text(r.dtype), dtype_text(t.dtype));
    else if (!type_same_shape(&r, &t))
        build_error(b, 0,
                    "the result of %s does not have the shape of the tensor that it is "
                    "written into",
                    b->op->name);
}

static Arg write_into(Build *b, Arg result, Arg target)
{
    if (!arg_is_tensor(b, result)) {
        build_error(b, -1, "%s does not give a tensor", b->op->name);
        return A_NONE;
    }
    check_target(b, result, target);
    return emit(b, copy_, cl_to(b, result, cl_dtype(b, target)), target, A_BOOL(true));
}

/* Every tensor of a list into that of the other list. */
static Arg write_list(Build *b, Arg results, Arg targets)
{
    Arg *out = new_array(&b->t->arena, Arg, targets.n ? targets.n : 1);
    for (uint32_t i = 0; i < targets.n; i++)
        out[i] = write_into(b, cl_item(results, i), targets.items[i]);
    return b->failed ? A_NONE : arg_list(b->t, out, targets.n);
}

/* b->op->user is the functional operator. Its result is a tensor, a list of them, or a list for
 * each of the first arguments. */
static Arg in_place(Build *b, const Arg *args)
{
    const Op *op = b->op->user;
    Arg result = op_call(b, op, args);
    if (b->failed || arg_is_number(args[0]))
        return result;
    if (!arg_is_seq(args[0]))
        return arg_is_tensor(b, args[0]) ? write_into(b, result, args[0]) : result;
    if (result.kind == ARG_list)
        return write_list(b, result, args[0]);
    Arg first = A_NONE;
    for (uint32_t i = 0; i < result.n && i < op->sig.n; i++) {
        Arg written = write_list(b, result.items[i], args[i]);
        first = i == 0 ? written : first;
    }
    return first;
}

/* -------------------------------------------------------------------------------- registration */

static void add_row(Registry *r, const OpRow *row, Diag *d)
{
    OpRow plain = *row;
    plain.flags &= ~(uint32_t)IN_PLACE_TOO;
    plain.spellings = spellings_of(r, row, false);
    const Op *op = registry_add(r, LANG_torch, &plain, NULL, d);
    if (!op || !(row->flags & IN_PLACE_TOO))
        return;
    OpRow form = {.name = arena_printf(&r->arena, "%s_", row->name).p,
                  .signature = row->signature,
                  .flags = OP_IN_PLACE,
                  .decompose = in_place,
                  .spellings = spellings_of(r, row, true)};
    form.help = arena_printf(&r->arena, "%s, written into the first argument", row->help).p;
    registry_add(r, LANG_torch, &form, (void *)(uintptr_t)op, d);
}

void lang_register(Registry *r, Diag *d)
{
    static const OpRow rows[] = {
#define TORCH(n, sig, facts, fn, spell, text)                                                      \
    {.name = #n,                                                                                   \
     .signature = sig,                                                                             \
     .spellings = spell,                                                                           \
     .help = text,                                                                                 \
     .flags = facts,                                                                               \
     .decompose = fn},
#include "torch.def"
#undef TORCH
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        add_row(r, &rows[i], d);
    numpy_register(r, d);
}
