/*
 * numpy.c - the numpy language, as far as Thunder has it: lnp.add, lnp.size, lnp.len.
 */
#include "notation.h"

static DECOMPOSE(np_add)
{
    return ADD(args[0], args[1]);
}

static DECOMPOSE(np_size)
{
    return I(cl_numel(b, args[0]));
}

static DECOMPOSE(np_len)
{
    if (cl_rank(b, args[0]) == 0)
        build_error(b, 0, "len() of a 0-d tensor");
    return I(cl_size(b, args[0], 0));
}

void numpy_register(Registry *r, Diag *d)
{
    static const OpRow rows[] = {
        {.name = "add",
         .signature = "a:V, b:V",
         .help = "a + b",
         .flags = OP_ELEMENTWISE,
         .decompose = np_add},
        {.name = "size",
         .signature = "a:T",
         .help = "number of elements",
         .decompose = np_size},
        {.name = "len",
         .signature = "a:T",
         .help = "size of the first dimension",
         .decompose = np_len},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        registry_add(r, LANG_numpy, &rows[i], NULL, d);
}
