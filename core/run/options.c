/*
 * options.c - which options there are and what they take; the table is options.def.
 *
 * Passes read their options themselves and refuse what they cannot use; this is for a person's
 * words, so that a slip is an error where it is typed and not an option that nothing reads.
 */
#include "run.h"

const OptionInfo option_table[] = {
#define OPTION(name, dflt, values, low, high, help) {name, dflt, values, low, high, help},
#include "options.def"
#undef OPTION
};
const uint32_t option_count = ARRAY_LEN(option_table);

/* fold.2.fast, of the second fold of the pipeline, is fold.fast. */
static bool is_named(const OptionInfo *o, Str name)
{
    if (str_is(name, o->name))
        return true;
    Str own = str_from(o->name);
    size_t dot = str_find(own, '.', 0), next = str_find(name, '.', dot + 1);
    int64_t number;
    return next != SIZE_MAX && str_eq(str_sub(name, 0, dot + 1), str_sub(own, 0, dot + 1)) &&
           str_to_i64(str_sub(name, dot + 1, next - dot - 1), &number) &&
           str_eq(str_sub(name, next, SIZE_MAX), str_sub(own, dot, SIZE_MAX));
}

const OptionInfo *option_find(Str name)
{
    for (uint32_t i = 0; i < option_count; i++)
        if (is_named(&option_table[i], name))
            return &option_table[i];
    return NULL;
}

static bool next_name(void *state, Str *candidate)
{
    uint32_t *i = state;
    if (*i == option_count)
        return false;
    *candidate = str_from(option_table[(*i)++].name);
    return true;
}

/* Passes that scripts define have the options that they ask for. */
static bool of_added_pass(const Session *s, Str name)
{
    Str pass = str_sub(name, 0, str_find(name, '.', 0));
    for (uint32_t i = 0; i < s->nadded; i++)
        if (pass.n < name.n && str_is(pass, s->added[i]->name))
            return true;
    return false;
}

static bool takes(const OptionInfo *o, Str value)
{
    double x;
    if (!o->values[0] && !(o->low < o->high))
        return true;
    if (o->low < o->high && str_to_f64(value, &x) && x >= o->low && x <= o->high)
        return true;
    Str words = str_from(o->values);
    while (words.n)
        if (str_eq(str_cut(&words, '|'), value))
            return true;
    return false;
}

bool session_check_option(const Session *s, Str name, Str value, Diag *d)
{
    const OptionInfo *o = option_find(name);
    if (!o && of_added_pass(s, name))
        return true;
    if (!o) {
        uint32_t state = 0;
        Str near = nearest(name, next_name, &state);
        const char *open = near.n ? "; did you mean '" : "", *close = near.n ? "'?" : "";
        DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "no-option",
                                    "there is no option %.*s%s%.*s%s", STR(name), open, STR(near),
                                    close);
        diag_help(d, item, "option");
        return false;
    }
    if (!value.p || takes(o, value))
        return true;
    StrBuf what = {0};
    sb_puts(&what, o->values);
    if (o->low < o->high)
        sb_printf(&what, "%sa number from %g to %g", what.n ? "|" : "", o->low, o->high);
    DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "bad-option",
                                "%.*s is %s, not '%.*s'", STR(name), sb_cstr(&what), STR(value));
    diag_help(d, item, "option %.*s %s", STR(name), o->dflt);
    sb_free(&what);
    return false;
}
