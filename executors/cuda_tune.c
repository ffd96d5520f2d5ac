/*
 * cuda_tune.c - choosing among ways to do the same by measuring them where they will run.
 *
 * Input: the schedules of a region, and the arguments of its first launch. Output: the fastest, as
 * loaded code. Kernels write results only, so running each on the same arguments changes nothing.
 */
#include "cuda_kernels.h"

#include "cc.h"
#include "numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCHEDULES = 32, ROUNDS = 5, FLUSH_BYTES = 128 << 20 };

struct CudaTuning {
    Arena arena;
    CompileOptions o;
    uint32_t n;
    Str text[MAX_SCHEDULES];
    CudaCode code[MAX_SCHEDULES];
    char choice[512]; /* file that remembers it; "" = none */
};

/* ------------------------------------------------------------------------------------ measuring */

/* Rounds of one way; they end early when the least of them is far from what is to be beaten. */
static double time_rounds(OpenDevice *dev, uint64_t cold, bool (*fn)(void *user), void *user,
                          double beat)
{
    double ms[ROUNDS], least = -1;
    bool good = fn(user); /* loads code, fills tables */
    int n = 0;
    for (bool hopeless = false; n < ROUNDS && good && !hopeless; n++) {
        good = (!cold || dev->driver->fill(dev, cold, (unsigned char)n, FLUSH_BYTES)) &&
               dev->driver->mark(dev, 0) && fn(user) && dev->driver->mark(dev, 1);
        ms[n] = good ? dev->driver->between_marks(dev) : -1;
        good = good && ms[n] >= 0;
        least = least < 0 || ms[n] < least ? ms[n] : least;
        hopeless = beat >= 0 && least > beat * (n == 0 ? 1.3 : 1.1);
    }
    if (!good)
        return -1;
    qsort(ms, (size_t)n, sizeof *ms, order_of_doubles);
    return ms[n / 2];
}

double cuda_time(OpenDevice *dev, bool (*fn)(void *user), void *user, double beat)
{
    SpentOn before = spent_turn(dev->spent, SPENT_choose);
    uint64_t cold = 0;
    bool flush = device_take(dev, FLUSH_BYTES, &cold);
    double ms = time_rounds(dev, flush ? cold : 0, fn, user, beat);
    if (flush)
        device_give(dev, cold, FLUSH_BYTES);
    spent_back(dev->spent, before);
    return ms;
}

/* ---------------------------------------------------------------------------------- remembering */

static void name_choice(CudaTuning *t, Str text, const GenTarget *g)
{
    uint64_t h = kernel_text_hash(text, g->arch * 1000003u + g->sms);
    int n = t->o.cache_dir.n ? snprintf(t->choice, sizeof t->choice, "%.*s/t%016llx",
                                        STR(t->o.cache_dir), (unsigned long long)h)
                             : 0;
    if (n <= 0 || (size_t)n >= sizeof t->choice)
        t->choice[0] = 0;
}

static int known_choice(const CudaTuning *t)
{
    int schedule = -1;
    FILE *f = t->choice[0] ? fopen(t->choice, "r") : NULL;
    if (f && fscanf(f, "%d", &schedule) != 1)
        schedule = -1;
    if (f)
        fclose(f);
    return schedule >= 0 && schedule < (int)t->n ? schedule : -1;
}

static void remember(const CudaTuning *t, uint32_t schedule, double ms)
{
    FILE *f = t->choice[0] ? fopen(t->choice, "w") : NULL;
    if (!f)
        return;
    fprintf(f, "%u %.6f ms\n", schedule, ms);
    fclose(f);
}

/* -------------------------------------------------------------------------------- the schedules */

CudaTuning *cuda_tuning_new(const Region *r, const GenOptions *g, const GenTarget *target, Str text,
                            const CompileOptions *o)
{
    uint32_t n = gen_cuda_schedules(r, target);
    if (n < 2)
        return NULL;
    CudaTuning *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->o = *o;
    t->o.cache_dir = arena_str(&t->arena, o->cache_dir);
    t->o.cuda_path = arena_str(&t->arena, o->cuda_path);
    for (uint32_t i = 0; i < n && i < MAX_SCHEDULES; i++) {
        StrBuf out = {0}, why = {0};
        if (gen_cuda(r, g, target, i, "kernel", &t->code[i].plan, &out, &why))
            t->text[i] = arena_str(&t->arena, sb_str(&out));
        sb_free(&out);
        sb_free(&why);
        t->n = i + 1;
    }
    name_choice(t, text, target);
    return t;
}

typedef struct Try {
    const CudaCode *code;
    OpenDevice *dev;
    uint64_t *at;
    uint32_t n;
    int *flag;
} Try;

static bool try_it(void *user)
{
    const Try *t = user;
    uint64_t at[MAX_REGION_INPUTS + MAX_OUTPUTS + 2];
    memcpy(at, t->at, t->n * sizeof *at);
    return cuda_code_launch(t->code, t->dev, at, t->n, t->flag);
}

static bool load(CudaTuning *t, uint32_t i)
{
    Diag d = {0};
    CudaBuild b = {.text = t->text[i], .code = &t->code[i]};
    bool good = t->text[i].n && cuda_code_load(&b, 1, &t->o, &d);
    diag_clear(&d);
    return good;
}

void cuda_tune(CudaTuning *t, OpenDevice *dev, uint64_t *at, uint32_t n, int *flag, CudaCode *code)
{
    int best = known_choice(t);
    double best_ms = 0;
    bool known = best >= 0;
    for (uint32_t i = 0; i < t->n && !known && !dev->failure[0]; i++) {
        Try one = {&t->code[i], dev, at, n, flag};
        double ms = load(t, i) ? cuda_time(dev, try_it, &one, best < 0 ? -1 : best_ms) : -1;
        if (ms < 0 || (best >= 0 && ms >= best_ms))
            continue;
        best = (int)i;
        best_ms = ms;
    }
    if (best < 0 || (known && !load(t, (uint32_t)best)))
        return;
    if (!known)
        remember(t, (uint32_t)best, best_ms);
    CudaCode chosen = t->code[best];
    t->code[best] = (CudaCode){0};
    cuda_code_free(code, dev);
    *code = chosen;
}


void cuda_tuning_free(CudaTuning *t, OpenDevice *dev)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->n; i++)
        cuda_code_free(&t->code[i], dev);
    arena_free(&t->arena);
    free(t);
}
