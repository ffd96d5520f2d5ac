/*
 * interp_linalg.c - factorisations of matrices.
 *
 * Input: matrices in the last two dimensions, in any layout. Output: dense factors. One idea: the
 * one-sided Jacobi method of Hestenes turns pairs of columns until all are orthogonal; their
 * lengths are then the singular values (G. Golub, C. Van Loan: Matrix Computations, 4th ed.,
 * section 8.6.4; J. Demmel, K. Veselic: Jacobi's method is more accurate than QR, SIAM J. Matrix
 * Anal. Appl. 13, 1992).
 */
#include "interp.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A matrix by columns: n columns of m elements, m >= n. Column j of w becomes s[j] times column j
 * of u, and v collects the turns. */
typedef struct Jacobi {
    int64_t m, n;
    double *w, *v, *s;
    int64_t *order; /* of the columns, by falling length */
} Jacobi;

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void turn(double *x, double *y, int64_t n, double c, double s)
{
    for (int64_t i = 0; i < n; i++) {
        double a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

/* Makes columns p and q orthogonal; false when they are already. */
static bool turn_pair(const Jacobi *j, int64_t p, int64_t q)
{
    double *x = j->w + p * j->m, *y = j->w + q * j->m;
    double xx = dot(x, x, j->m), yy = dot(y, y, j->m), xy = dot(x, y, j->m);
    if (!(fabs(xy) > DBL_EPSILON * sqrt(xx) * sqrt(yy)))
        return false;
    double zeta = (yy - xx) / (2 * xy);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + hypot(1, zeta));
    double c = 1 / hypot(1, t);
    turn(x, y, j->m, c, c * t);
    turn(j->v + p * j->n, j->v + q * j->n, j->n, c, c * t);
    return true;
}

static void sweep(Interp *x, const Jacobi *j)
{
    enum { MAX_SWEEPS = 60 };
    bool turned = true;
    for (int k = 0; k < MAX_SWEEPS && turned && !stopped(x); k++) {
        turned = false;
        for (int64_t p = 0; p < j->n; p++)
            for (int64_t q = p + 1; q < j->n; q++)
                turned |= turn_pair(j, p, q);
    }
}

/* Lengths of the columns, and their order (by insertion: equal ones keep theirs). */
static void measure(const Jacobi *j)
{
    for (int64_t k = 0; k < j->n; k++) {
        const double *col = j->w + k * j->m;
        int64_t at = k;
        j->s[k] = sqrt(dot(col, col, j->m));
        for (; at > 0 && j->s[j->order[at - 1]] < j->s[k]; at--)
            j->order[at] = j->order[at - 1];
        j->order[at] = k;
    }
}

/* A unit column that is orthogonal to the first `done` columns of u: the first unit vector that
 * is not close to their span, made so by Gram and Schmidt, twice. */
static void complete(double *u, int64_t done, int64_t m)
{
    double *col = u + done * m;
    for (int64_t e = 0; e < m; e++) {
        memset(col, 0, (size_t)m * sizeof *col);
        col[e] = 1;
        for (int64_t k = 0; k < 2 * done; k++) {
            const double *other = u + k % done * m;
            double part = dot(other, col, m);
            for (int64_t i = 0; i < m; i++)
                col[i] -= part * other[i];
        }
        double length = sqrt(dot(col, col, m));
        if (length * length * (double)m < 0.5)
            continue;
        for (int64_t i = 0; i < m; i++)
            col[i] /= length;
        return;
    }
}

/* The columns of w by falling length, divided by it. */
static void left_vectors(const Jacobi *j, double *u)
{
    double least = j->n ? j->s[j->order[0]] * DBL_EPSILON * (double)j->m : 0;
    for (int64_t k = 0; k < j->n; k++) {
        int64_t from = j->order[k];
        if (j->s[from] <= least) {
            complete(u, k, j->m);
            continue;
        }
        for (int64_t i = 0; i < j->m; i++)
            u[k * j->m + i] = j->w[from * j->m + i] / j->s[from];
    }
}

/* Where the factors of one matrix go; rows x cols is its own shape. */
typedef struct Factors {
    int64_t rows, cols;
    double *u, *s, *vh; /* row-major */
} Factors;

/* The largest absolute value, by which the matrix is divided so that squares stay in range; 1 when
 * it is zero or not finite. */
static double scale_of(const double *a, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fabs(a[i]) > most ? fabs(a[i]) : most;
    return most > 0 && isfinite(most) ? most : 1;
}

/* Writes a matrix held by columns as rows, or as it is when it is to be transposed. */
static void put(const double *cols, int64_t m, int64_t n, const int64_t *order, bool transposed,
                double *out)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < m; i++)
            out[transposed ? k * m + i : i * n + k] = cols[(order ? order[k] : k) * m + i];
}

/* A wide matrix is factored as its transpose: a^T = v s u^T. */
static void factor(Interp *x, const double *a, const Factors *f)
{
    bool wide = f->rows < f->cols;
    int64_t m = wide ? f->cols : f->rows, n = wide ? f->rows : f->cols;
    Jacobi j = {m,
                n,
                new_array(&x->arena, double, m * n + 1),
                new_array(&x->arena, double, n * n + 1),
                new_array(&x->arena, double, n + 1),
                new_array(&x->arena, int64_t, n + 1)};
    double *u = new_array(&x->arena, double, m * n + 1), scale = scale_of(a, m * n);
    for (int64_t k = 0; k < n; k++) {
        for (int64_t i = 0; i < m; i++)
            j.w[k * m + i] = (wide ? a[k * m + i] : a[i * n + k]) / scale;
        j.v[k * n + k] = 1;
    }
    sweep(x, &j);
    measure(&j);
    left_vectors(&j, u);
    for (int64_t k = 0; k < n; k++)
        f->s[k] = j.s[j.order[k]] * scale;
    put(wide ? j.v : u, wide ? n : m, n, wide ? j.order : NULL, false, f->u);
    put(wide ? u : j.v, wide ? m : n, n, wide ? NULL : j.order, true, f->vh);
}

bool k_svd(Interp *x)
{
    const Tensor *a = in_dense(x, 0, DT_f64);
    Tensor *out[3] = {0}, *wide[3] = {0};
    if (!a)
        return false;
    for (uint32_t i = 0; i < 3; i++)
        if (!(out[i] = out_new(x, i)) || !(wide[i] = keep(x, tensor_cast(out[i], DT_f64))))
            return false;
    Factors f = {a->shape[a->rank - 2], a->shape[a->rank - 1], NULL, NULL, NULL};
    int64_t k = f.rows < f.cols ? f.rows : f.cols, size = f.rows * f.cols;
    int64_t count = size ? tensor_numel(a) / size : 0;
    for (int64_t i = 0; i < count && !stopped(x); i++) {
        f.u = (double *)tensor_data(wide[0]) + i * f.rows * k;
        f.s = (double *)tensor_data(wide[1]) + i * k;
        f.vh = (double *)tensor_data(wide[2]) + i * k * f.cols;
        factor(x, (const double *)tensor_data(a) + i * size, &f);
    }
    for (uint32_t i = 0; i < 3; i++)
        tensor_copy_into(out[i], wide[i]);
    return true;
}
