/*
 * torch_rnn.c - decompositions of the cells of recurrent networks.
 *
 * Gates stand side by side in the rows of the weights: LSTM input, forget, cell, output; GRU reset,
 * update, new.
 */
#include "notation.h"

static Arg gate(Build *b, Arg all, int64_t i, int64_t n)
{
    int64_t dim = (int64_t)cl_rank(b, all) - 1;
    return cl_slice(b, all, dim, i * n, (i + 1) * n, 1);
}

/* Gate inputs of width gates * hidden; checks that the weights have that many rows. */
static Arg project(Build *b, Arg x, Arg w, Arg bias, int64_t rows, int arg)
{
    if (cl_rank(b, x) == 0 || cl_rank(b, w) != 2 || cl_size(b, w, 0) != rows)
        build_error(b, arg, "expected weights with %lld rows", (long long)rows);
    return b->failed ? A_NONE : CALL("linear", x, w, bias);
}

static int64_t hidden_size(const Build *b, Arg h)
{
    return cl_size(b, h, (int64_t)cl_rank(b, h) - 1);
}

DECOMPOSE(d_lstm_cell)
{
    Arg h = cl_item(args[1], 0), c = cl_item(args[1], 1);
    if (args[1].n != 2 || !arg_is_tensor(b, h) || !arg_is_tensor(b, c)) {
        build_error(b, 1, "lstm_cell expects two hidden states");
        return A_NONE;
    }
    int64_t n = hidden_size(b, h);
    Arg all = ADD(project(b, args[0], args[2], args[4], 4 * n, 2),
                  project(b, h, args[3], args[5], 4 * n, 3));
    Arg in = CALL("sigmoid", gate(b, all, 0, n)), forget = CALL("sigmoid", gate(b, all, 1, n));
    Arg cell = TANH(gate(b, all, 2, n)), out = CALL("sigmoid", gate(b, all, 3, n));
    Arg next = ADD(MUL(forget, c), MUL(in, cell));
    return TUPLE(MUL(out, TANH(next)), next);
}

DECOMPOSE(d_gru_cell)
{
    Arg h = args[1];
    int64_t n = hidden_size(b, h);
    Arg x = project(b, args[0], args[2], args[4], 3 * n, 2);
    Arg y = project(b, h, args[3], args[5], 3 * n, 3);
    Arg reset = CALL("sigmoid", ADD(gate(b, x, 0, n), gate(b, y, 0, n)));
    Arg update = CALL("sigmoid", ADD(gate(b, x, 1, n), gate(b, y, 1, n)));
    Arg fresh = TANH(ADD(gate(b, x, 2, n), MUL(reset, gate(b, y, 2, n))));
    return ADD(fresh, MUL(update, SUB(h, fresh)));
}

static Arg simple_cell(Build *b, const Arg *args)
{
    int64_t n = hidden_size(b, args[1]);
    return ADD(project(b, args[0], args[2], args[4], n, 2),
               project(b, args[1], args[3], args[5], n, 3));
}

DECOMPOSE(d_rnn_tanh_cell)
{
    return TANH(simple_cell(b, args));
}

DECOMPOSE(d_rnn_relu_cell)
{
    return CALL("relu", simple_cell(b, args));
}
