/*
 * form.c - linear combinations of loop variables, and joining loops.
 *
 * Forms are never negative where they are used as indices, so division rounds down. What does not
 * divide evenly becomes a derived variable q = f / n, and the rest is f - n q: put together again
 * the two cancel exactly, which is how a reshape there and back leaves no trace.
 */
#include "nest.h"

Form form_const(int64_t c)
{
    return (Form){.c = c};
}

Form form_var(Nest *s, uint32_t var)
{
    Term *t = new_of(&s->arena, Term);
    *t = (Term){var, 1};
    return (Form){0, 1, t};
}

Form form_add(Nest *s, Form a, Form b, int64_t times)
{
    Form f = {.c = a.c + times * b.c};
    if (b.n == 0 || times == 0)
        return (Form){f.c, a.n, a.terms};
    Term *t = new_array(&s->arena, Term, a.n + b.n);
    for (uint32_t i = 0, k = 0; i < a.n || k < b.n;) {
        bool left = k == b.n || (i < a.n && a.terms[i].var < b.terms[k].var);
        bool both = !left && i < a.n && a.terms[i].var == b.terms[k].var;
        Term sum = left ? a.terms[i] : (Term){b.terms[k].var, times * b.terms[k].k};
        if (both)
            sum.k += a.terms[i].k;
        i += left || both;
        k += !left;
        if (sum.k)
            t[f.n++] = sum;
    }
    f.terms = t;
    return f;
}

bool form_equal(Form a, Form b)
{
    if (a.c != b.c || a.n != b.n)
        return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (a.terms[i].var != b.terms[i].var || a.terms[i].k != b.terms[i].k)
            return false;
    return true;
}

uint64_t form_deps(const Nest *s, Form f)
{
    uint64_t deps = 0;
    for (uint32_t i = 0; i < f.n; i++)
        deps |= s->vars[f.terms[i].var].deps;
    return deps;
}

static uint32_t add_var(Nest *s, Var v)
{
    if (s->nvars == MAX_VARS) {
        nest_fail(s, "its index arithmetic is too involved");
        return 0;
    }
    if (var_is_loop(&v))
        v.deps = (uint64_t)1 << s->nvars;
    s->vars[s->nvars] = v;
    return s->nvars++;
}

uint32_t nest_add_var(Nest *s, Role role, int64_t extent)
{
    return add_var(s, (Var){.role = role, .extent = extent});
}

Form form_loaded(Nest *s, uint32_t point, int64_t extent)
{
    for (uint32_t i = s->nloops; i < s->nvars; i++)
        if (s->vars[i].role == VAR_loaded && s->vars[i].point == point &&
            s->vars[i].extent == extent)
            return form_var(s, i);
    return form_var(s, add_var(s, (Var){.role = VAR_loaded, .extent = extent, .point = point,
                                        .deps = s->points[point].deps}));
}

/* The largest value, when every factor is positive; -1 otherwise. */
static int64_t form_most(const Nest *s, Form f)
{
    int64_t most = f.c;
    for (uint32_t i = 0; i < f.n; i++) {
        if (f.terms[i].k < 0)
            return -1;
        most += f.terms[i].k * (s->vars[f.terms[i].var].extent - 1);
    }
    return f.c < 0 ? -1 : most;
}

/* Whether it never leaves 0 .. n - 1; a flip counts down. */
static bool is_within(const Nest *s, Form f, int64_t n)
{
    int64_t least = f.c, most = f.c;
    for (uint32_t i = 0; i < f.n; i++)
        *(f.terms[i].k < 0 ? &least : &most) +=
            f.terms[i].k * (s->vars[f.terms[i].var].extent - 1);
    return least >= 0 && most < n;
}

static Form derived(Nest *s, Form f, int64_t n)
{
    for (uint32_t i = s->nloops; i < s->nvars; i++)
        if (s->vars[i].by == n && form_equal(s->vars[i].of, f))
            return form_var(s, i);
    int64_t most = form_most(s, f);
    int64_t extent = most >= 0 ? most / n + 1 : (int64_t)1 << 40;
    return form_var(s, add_var(s, (Var){.role = VAR_derived, .extent = extent, .of = f, .by = n,
                                        .deps = form_deps(s, f)}));
}

/* f = quotient n + rest with 0 <= rest < n. */
static void form_divide(Nest *s, Form f, int64_t n, Form *quotient, Form *rest)
{
    if (n <= 1) {
        *quotient = f;
        *rest = form_const(0);
        return;
    }
    Term *even = new_array(&s->arena, Term, f.n), *odd = new_array(&s->arena, Term, f.n);
    Form q = {.c = f.c / n, .terms = even}, r = {.c = f.c % n, .terms = odd};
    for (uint32_t i = 0; i < f.n; i++) {
        if (f.terms[i].k % n == 0)
            even[q.n++] = (Term){f.terms[i].var, f.terms[i].k / n};
        else
            odd[r.n++] = f.terms[i];
    }
    if (is_within(s, r, n)) {
        *quotient = q;
        *rest = r;
        return;
    }
    Form d = derived(s, f, n);
    *quotient = d;
    *rest = form_add(s, f, d, -n);
}

Form form_linear(Nest *s, const Form *index, const Type *type)
{
    Form f = form_const(0);
    int64_t stride = 1;
    for (uint32_t i = type->rank; i-- > 0;) {
        f = form_add(s, f, index[i], stride);
        stride *= type->shape[i];
    }
    return f;
}

const Form *form_unravel(Nest *s, Form linear, const Type *type)
{
    Form *index = new_array(&s->arena, Form, type->rank + 1);
    for (uint32_t i = type->rank; i-- > 0;) {
        if (i == 0)
            index[0] = linear;
        else
            form_divide(s, linear, type->shape[i], &linear, &index[i]);
    }
    return index;
}

void form_print(const Nest *s, Form f, StrBuf *out)
{
    bool first = true;
    for (uint32_t i = 0; i < f.n; i++) {
        Term t = f.terms[i];
        const char *letter = var_is_loop(&s->vars[t.var]) ? "i" : "q";
        int64_t k = t.k < 0 && !first ? -t.k : t.k;
        sb_puts(out, first ? "" : t.k < 0 ? " - " : " + ");
        if (k != 1)
            sb_printf(out, "%lld * ", (long long)k);
        sb_printf(out, "%s%u", letter, t.var);
        first = false;
    }
    if (first)
        sb_printf(out, "%lld", (long long)f.c);
    else if (f.c)
        sb_printf(out, " %c %lld", f.c < 0 ? '-' : '+', (long long)(f.c < 0 ? -f.c : f.c));
}

/* ----------------------------------------------------------------------------- joining loops */

int64_t form_factor(Form f, uint32_t var)
{
    for (uint32_t i = 0; i < f.n; i++)
        if (f.terms[i].var == var)
            return f.terms[i].k;
    return 0;
}

static bool joins_in(Form f, uint32_t outer, uint32_t inner, int64_t size)
{
    return form_factor(f, outer) == form_factor(f, inner) * size;
}

static bool can_join(const Nest *s, uint32_t outer, uint32_t inner)
{
    int64_t size = s->vars[inner].extent;
    if (s->vars[outer].role != s->vars[inner].role)
        return false;
    for (uint32_t i = 0; i < s->npoints; i++) {
        const Point *p = &s->points[i];
        if ((p->kind == POINT_load || p->kind == POINT_index) &&
            !joins_in(p->form, outer, inner, size))
            return false;
    }
    for (uint32_t i = 0; i < s->nstores; i++)
        if (!joins_in(s->stores[i].form, outer, inner, size))
            return false;
    for (uint32_t i = s->nloops; i < s->nvars; i++)
        if (!joins_in(s->vars[i].of, outer, inner, size))
            return false;
    return true;
}

static Form without(Nest *s, Form f, uint32_t var)
{
    int64_t k = form_factor(f, var);
    return k ? form_add(s, f, form_var(s, var), -k) : f;
}

/* The outer loop goes into the inner one, and is left with one turn. */
static void join(Nest *s, uint32_t outer, uint32_t inner)
{
    s->vars[inner].extent *= s->vars[outer].extent;
    s->vars[outer].extent = 1;
    for (uint32_t i = 0; i < s->npoints; i++)
        s->points[i].form = without(s, s->points[i].form, outer);
    for (uint32_t i = 0; i < s->nstores; i++)
        s->stores[i].form = without(s, s->stores[i].form, outer);
    for (uint32_t i = s->nloops; i < s->nvars; i++)
        s->vars[i].of = without(s, s->vars[i].of, outer);
}

void nest_merge_loops(Nest *s)
{
    for (uint32_t i = 0; i < s->nloops; i++) {
        uint32_t inner = i + 1;
        while (inner < s->nloops && s->vars[inner].extent == 1)
            inner++;
        if (inner < s->nloops && s->vars[i].extent != 1 && can_join(s, i, inner))
            join(s, i, inner);
    }
}
