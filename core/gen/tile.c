/*
 * tile.c - tiles of a product on tensor cores: what band.c and panel.c have in common.
 *
 * Text of the functions that multiply 16 rows at a time out of shared memory, and of what stands
 * behind the product: operands that are asked for early, the members, stores of four results.
 */
#include "product.h"

#include "cuda.h"

static const char helpers[] =
    "#ifndef TILE\n#define TILE\n"
    "/* Four matrices of 8 x 8: lane l names a row of 16 bytes, gets two neighbours of each. */\n"
    "INLINE void read_tiles(uint32_t (&r)[4], const char *p)\n{\n"
    "#ifdef __CUDA_ARCH__\n"
    "    const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);\n"
    "    asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\"\n"
    "        : \"=r\"(r[0]), \"=r\"(r[1]), \"=r\"(r[2]), \"=r\"(r[3]) : \"r\"(at) : \"memory\");\n"
    "#else\n    emu_ldmatrix(r, p, false);\n#endif\n"
    "}\n"
    "#ifdef __CUDA_ARCH__\n"
    "#define MULTIPLY(T, name) \\\n"
    "    INLINE void multiply(T, float (&d)[4], const uint32_t (&a)[4], uint32_t b, \\\n"
    "                         uint32_t c) \\\n"
    "    { \\\n"
    "        asm(\"mma.sync.aligned.m16n8k16.row.col.f32.\" name \".\" name \".f32 \" \\\n"
    "            \"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\" \\\n"
    "            : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) \\\n"
    "            : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b), \"r\"(c)); \\\n"
    "    }\n"
    "MULTIPLY(bf16, \"bf16\")\nMULTIPLY(f16, \"f16\")\n"
    "#else\n"
    "template <typename T>\n"
    "INLINE void multiply(T, float (&d)[4], const uint32_t (&a)[4], uint32_t b, uint32_t c)\n{\n"
    "    float *sums[4] = {&d[0], &d[1], &d[2], &d[3]};\n"
    "    emu_mma<T>(sums, a, b, c);\n}\n"
    "#endif\n"
    "/* 16 elements of K of 16 * RS rows. */\n"
    "template <int STRIDE, int RS>\n"
    "INLINE void read_rows_of(uint32_t (&a)[RS][4], const char *x)\n{\n"
    "    const int lane = threadIdx.x % 32;\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int r = 0; r < RS; r++)\n"
    "        read_tiles(a[r], x + (r * 16 + lane % 16) * STRIDE + lane / 16 * 16);\n"
    "}\n"
    "/* Those times 8 * CS rows of w: lane l gets of rows l / 4 and l / 4 + 8 of each 16 the\n"
    " * columns l % 4 * 2 and the next, of each 8. */\n"
    "template <typename T, int STRIDE, int RS, int CS>\n"
    "INLINE void multiply_rows(float (&sum)[RS][CS][4], const uint32_t (&a)[RS][4],\n"
    "                          const char *w)\n"
    "{\n"
    "    const int lane = threadIdx.x % 32;\n"
    "    uint32_t b[4];\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int c = 0; c < CS; c += 2) {\n"
    "        read_tiles(b, w + (c * 8 + lane % 8 + lane / 16 * 8) * STRIDE + lane / 8 % 2 * 16);\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int r = 0; r < RS; r++) {\n"
    "            multiply(T(), sum[r][c], a[r], b[0], b[1]);\n"
    "            if (c + 1 < CS)\n"
    "                multiply(T(), sum[r][c + 1], a[r], b[2], b[3]);\n"
    "        }\n"
    "    }\n}\n"
    "template <typename T, int STRIDE, int RS, int CS>\n"
    "INLINE void multiply_tile(float (&sum)[RS][CS][4], const char *x, const char *w)\n{\n"
    "    uint32_t a[RS][4];\n"
    "    read_rows_of<STRIDE>(a, x);\n"
    "    multiply_rows<T, STRIDE>(sum, a, w);\n"
    "}\n"
    "/* As many of ROWS rows as there are, of their first `units` times 16 bytes. */\n"
    "template <int ROWS, int UNITS, int STRIDE, int THREADS, typename T>\n"
    "INLINE void fetch_part(char *to, const T *from, int64_t step, int rows, int units)\n{\n"
    "    _Pragma(\"unroll 8\")\n"
    "    for (int k = 0; k < (ROWS * UNITS + THREADS - 1) / THREADS; k++) {\n"
    "        const int i = k * THREADS + threadIdx.x, row = i / UNITS, unit = i % UNITS;\n"
    "        if (row < ROWS && row < rows && unit < units)\n"
    "            copy_async<8>((Vec<T, 8> *)(to + row * STRIDE + unit * 16),\n"
    "                from + row * step + unit * 8);\n"
    "    }\n}\n"
    "/* The same through registers: known behind the next barrier. */\n"
    "template <int ROWS, int UNITS, int STRIDE, int THREADS, typename T>\n"
    "INLINE void read_part(char *to, const T *from, int64_t step, int rows)\n{\n"
    "    const int EACH = (ROWS * UNITS + THREADS - 1) / THREADS, ONCE = 12;\n"
    "    for (int k = 0; k < EACH; k += ONCE) {\n"
    "        Vec<T, 8> x[ONCE];\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int j = 0; j < ONCE; j++) {\n"
    "            const int i = (k + j) * THREADS + threadIdx.x, row = i / UNITS;\n"
    "            if (row < ROWS && row < rows)\n"
    "                x[j] = load<8>(from + row * step + i % UNITS * 8);\n"
    "        }\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int j = 0; j < ONCE; j++) {\n"
    "            const int i = (k + j) * THREADS + threadIdx.x, row = i / UNITS;\n"
    "            if (row < ROWS && row < rows)\n"
    "                *(Vec<T, 8> *)(to + row * STRIDE + i % UNITS * 16) = x[j];\n"
    "        }\n    }\n}\n"
    "#endif\n";

static const char cluster[] =
    "#ifndef CLUSTER\n#define CLUSTER\n"
    "#ifdef __CUDA_ARCH__\n"
    "/* A barrier of all blocks of the cluster in two parts: behind it the others have begun, and\n"
    " * what they wrote before is seen. */\n"
    "INLINE void cluster_arrives()\n{\n"
    "    asm volatile(\"barrier.cluster.arrive.release.aligned;\" ::: \"memory\");\n}\n"
    "INLINE void cluster_is_here()\n{\n"
    "    asm volatile(\"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\");\n}\n"
    "/* Writes into the shared memory of another block of the cluster, at the same place. */\n"
    "INLINE void to_block(float *p, int rank, float a, float b)\n{\n"
    "    const uint32_t here = (uint32_t)__cvta_generic_to_shared(p);\n"
    "    uint32_t there;\n"
    "    asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(here), "
    "\"r\"(rank));\n"
    "    asm volatile(\"st.shared::cluster.v2.f32 [%0], {%1, %2};\"\n"
    "        :: \"r\"(there), \"f\"(a), \"f\"(b) : \"memory\");\n"
    "}\n"
    "#endif\n"
    "#endif\n";

void tile_print_helpers(StrBuf *out)
{
    products_print_copies(out);
    sb_puts(out, helpers);
}

void tile_print_cluster(StrBuf *out)
{
    sb_puts(out, cluster);
}

static const char *storage(const TileEnd *t, uint32_t item)
{
    return cuda_storage(item_dtype(t->p, item));
}

/* What the members read of inputs, for each of the results that a thread will have: asked for
 * while the operands are on their way. Inputs of the program are there before earlier launches
 * have ended. */
void tile_print_sides(const TileEnd *t, bool early)
{
    const Segment *s = &t->p->segments[0];
    for (uint32_t k = 0; k < s->nsides; k++) {
        const Side *d = &s->sides[k];
        uint32_t in = item_input(t->p, d->item);
        const char *from = d->kind == SIDE_line ? "at" : "row * N + at";
        if (item_is_early(t->p, d->item) != early)
            continue;
        if (d->kind == SIDE_number) {
            sb_printf(t->out, "    const %s s%u = get(in%u[0]);\n",
                      c_type(item_dtype(t->p, d->item)), d->item, in);
            continue;
        }
        sb_printf(t->out, "    Vec<%s, 4> e%u[EACH];\n    _Pragma(\"unroll\")\n"
                          "    for (int e = 0; e < EACH; e++) {\n", storage(t, d->item), d->item);
        sb_puts(t->out, t->place);
        if (s->n % 4 == 0)
            sb_printf(t->out, "        if (row < M && at < N)\n"
                              "            e%u[e] = load<4>(in%u + %s);\n    }\n", d->item, in,
                      from);
        else
            sb_printf(t->out, "        for (int j = 0; j < 4; j++)\n"
                              "            if (row < M && at + j < N)\n"
                              "                e%u[e].x[j] = in%u[%s + j];\n    }\n", d->item, in,
                      from);
    }
}

static void print_results(const TileEnd *t)
{
    const Products *p = t->p;
    for (uint32_t i = 0; i < p->nitems; i++) {
        if (p->items[i].kind != ITEM_made || p->items[i].out < 0)
            continue;
        if (p->segments[0].n % 4 == 0)
            sb_printf(t->out, "        *(Vec<%s, 4> *)(out%d + row * N + at) = r%u;\n",
                      storage(t, i), p->items[i].out, i);
        else
            sb_printf(t->out, "        for (int j = 0; j < 4 && at + j < N; j++)\n"
                              "            out%d[row * N + at + j] = r%u.x[j];\n",
                      p->items[i].out, i);
    }
}

void tile_print_end(const TileEnd *t)
{
    const Products *p = t->p;
    const Segment *s = &p->segments[0];
    sb_puts(t->out, "    _Pragma(\"unroll\")\n    for (int e = 0; e < EACH; e++) {\n");
    sb_puts(t->out, t->place);
    sb_puts(t->out, "        if (row >= M || at >= N)\n            continue;\n");
    for (uint32_t i = 0; i < p->nitems; i++)
        if (p->items[i].kind == ITEM_made && p->items[i].out >= 0)
            sb_printf(t->out, "        Vec<%s, 4> r%u;\n", storage(t, i), i);
    sb_puts(t->out, "        _Pragma(\"unroll\")\n        for (int j = 0; j < 4; j++) {\n");
    for (uint32_t k = 0; k < s->nsides; k++)
        if (s->sides[k].kind != SIDE_number)
            sb_printf(t->out, "            const %s s%u = get(e%u[e].x[j]);\n",
                      c_type(item_dtype(p, s->sides[k].item)), s->sides[k].item,
                      s->sides[k].item);
    segment_print(p, 0, t->o, "total[e][j]", "            ", t->out);
    for (uint32_t i = 0; i < p->nitems; i++)
        if (p->items[i].kind == ITEM_made && p->items[i].out >= 0)
            sb_printf(t->out, "            set(r%u.x[j], v%u);\n", i, i);
    sb_puts(t->out, "        }\n");
    print_results(t);
    sb_puts(t->out, "    }\n");
}

void tile_print_indented(StrBuf *out, Str text)
{
    while (text.n) {
        Str line = str_cut(&text, '\n');
        sb_puts(out, line.n ? "    " : "");
        sb_add(out, line);
        sb_putc(out, '\n');
    }
}
