# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The C99 text of the inverse dynamics of bodies with joints; `bodies_c` fills in the tables.

It is the kernels of `mechanisms.multibody` in C: closing by Newton's method from a state that the caller keeps, rates
and accelerations, Newton and Euler of every body, and virtual power.
"""

from __future__ import annotations

HEADER = """\
/* Inverse dynamics of the machine '@NAME@': forces of its drives from their coordinates, rates and accelerations.
 * Written by pkm export of pkm_identification @VERSION@ (machine description @HASH@).
 *
 * C99, one file, no state of its own, no allocation, no recursion; of libm sqrt, fabs, sin, cos and atan2@LIBM@.
 * SI units. Drives, in this order: @DRIVES@.
 *
 * int @PREFIX@_forces(coordinate, rate, acceleration, state, force)
 *   coordinate[@DRIVE_COUNT@], rate[@DRIVE_COUNT@], acceleration[@DRIVE_COUNT@]  of the drives, m or rad
 *   state[@STATE_COUNT@]  configuration of the joints: where loops are closed from, and then where they are; begin with
 *              @PREFIX@_home and hand over what the call before left
 *   force[@DRIVE_COUNT@]  result, N or N m
 *   returns 0, or 1 where loops do not close, the configuration is singular or a number is not finite: state and force
 *   are then as they were before
 *
 * void @PREFIX@_home(state): the configuration at home
 */
#include <math.h>

int @PREFIX@_forces(const double coordinate[@DRIVE_COUNT@], const double rate[@DRIVE_COUNT@],
                    const double acceleration[@DRIVE_COUNT@], double state[@STATE_COUNT@], double force[@DRIVE_COUNT@]);
void @PREFIX@_home(double state[@STATE_COUNT@]);

"""

VECTORS = """
enum { FIXED, REVOLUTE, PRISMATIC, BALL, NO_SPIN };
enum { POINT, AXES, LENGTH, ANGLE, TURN, COMBINATION, LEVER };

typedef struct {
    double turn[3][3], origin[3], omega[3], alpha[3], speed[3], second[3];
} Frame;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *out)
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void copy(const double *a, double *out)
{
    out[0] = a[0];
    out[1] = a[1];
    out[2] = a[2];
}

/* a += k b */
static void add(double *a, double k, const double *b)
{
    a[0] += k * b[0];
    a[1] += k * b[1];
    a[2] += k * b[2];
}

static void turned(const Frame *f, const double *a, double *out)
{
    const double x = dot(f->turn[0], a), y = dot(f->turn[1], a), z = dot(f->turn[2], a);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void column(const Frame *f, int i, double *out)
{
    out[0] = f->turn[0][i];
    out[1] = f->turn[1][i];
    out[2] = f->turn[2][i];
}

static void turned_back(const Frame *f, const double *a, double *out)
{
    double c[3], r[3];
    int i;
    for (i = 0; i < 3; i++) {
        column(f, i, c);
        r[i] = dot(c, a);
    }
    copy(r, out);
}

static void put_column(Frame *f, int i, const double *a)
{
    f->turn[0][i] = a[0];
    f->turn[1][i] = a[1];
    f->turn[2][i] = a[2];
}
"""

FRAMES = """
/* turn a frame about one of its axes */
static void spin(Frame *f, int axis, double c, double s)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double a[3], b[3], n[3];
    column(f, i, a);
    column(f, j, b);
    n[0] = n[1] = n[2] = 0.0;
    add(n, c, a);
    add(n, s, b);
    put_column(f, i, n);
    n[0] = n[1] = n[2] = 0.0;
    add(n, c, b);
    add(n, -s, a);
    put_column(f, j, n);
}

static void spin_by_quaternion(Frame *f, const double *q)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double k = 2.0 / (x * x + y * y + z * z + w * w);
    const double m[3][3] = {{1.0 - k * (y * y + z * z), k * (x * y - z * w), k * (x * z + y * w)},
                            {k * (x * y + z * w), 1.0 - k * (x * x + z * z), k * (y * z - x * w)},
                            {k * (x * z - y * w), k * (y * z + x * w), 1.0 - k * (x * x + y * y)}};
    Frame old = *f;
    double c[3];
    int i;
    for (i = 0; i < 3; i++) {
        c[0] = m[0][i];
        c[1] = m[1][i];
        c[2] = m[2][i];
        turned(&old, c, c);
        put_column(f, i, c);
    }
}

static void place(const double *q, Frame *frames, double axes[][3])
{
    int f, i;
    for (f = 0; f < FRAME_COUNT; f++) {
        Frame *own = frames + f;
        const int parent = FRAMES[f][0], kind = FRAMES[f][1], axis = FRAMES[f][2], k = FRAMES[f][4], v = FRAMES[f][5];
        const double sign = FRAMES[f][3];
        for (i = 0; i < 3; i++) copy(PLACES[f][i], own->turn[i]);
        copy(PLACES[f][3], own->origin);
        if (parent >= 0) {
            double c[3], shift[3];
            Frame old = *own;
            for (i = 0; i < 3; i++) {
                column(&old, i, c);
                turned(frames + parent, c, c);
                put_column(own, i, c);
            }
            turned(frames + parent, PLACES[f][3], shift);
            copy(frames[parent].origin, own->origin);
            add(own->origin, 1.0, shift);
        }
        if (kind == REVOLUTE || kind == PRISMATIC) {
            double along[3];
            column(own, axis, along);
            for (i = 0; i < 3; i++) axes[v][i] = sign * along[i];
            if (kind == REVOLUTE) spin(own, axis, cos(q[k]), sign * sin(q[k]));
            else add(own->origin, q[k], axes[v]);
        } else if (kind == BALL) {
            spin_by_quaternion(own, q + k);
            for (i = 0; i < 3; i++) column(own, i, axes[v + i]);
        } else if (kind == NO_SPIN) {
            double along[3];
            column(own, 0, axes[v]);
            spin(own, 0, cos(q[k]), sin(q[k]));
            column(own, 1, axes[v + 1]);
            spin(own, 1, cos(q[k + 1]), sin(q[k + 1]));
            column(own, 2, along);
            add(axes[v], -dot(axes[v], along), along);
        }
    }
}

static void move(Frame *frames, double axes[][3], const double *v, const double *a)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    int f, i;
    for (f = 0; f < FRAME_COUNT; f++) {
        Frame *own = frames + f;
        const Frame *from;
        const int parent = FRAMES[f][0], kind = FRAMES[f][1], k = FRAMES[f][5];
        double arm[3], swing[3], part[3];
        if (parent < 0) {
            copy(none, own->omega);
            copy(none, own->alpha);
            copy(none, own->speed);
            copy(none, own->second);
            continue;
        }
        from = frames + parent;
        for (i = 0; i < 3; i++) arm[i] = own->origin[i] - from->origin[i];
        copy(from->omega, own->omega);
        copy(from->alpha, own->alpha);
        copy(from->speed, own->speed);
        copy(from->second, own->second);
        cross(from->omega, arm, swing);
        add(own->speed, 1.0, swing);
        cross(from->alpha, arm, part);
        add(own->second, 1.0, part);
        cross(from->omega, swing, part);
        add(own->second, 1.0, part);
        if (kind == PRISMATIC) {
            double slide[3];
            for (i = 0; i < 3; i++) slide[i] = v[k] * axes[k][i];
            add(own->speed, 1.0, slide);
            cross(from->omega, slide, part);
            add(own->second, 2.0, part);
            add(own->second, a[k], axes[k]);
        } else if (kind != FIXED) {
            const int count = kind == REVOLUTE ? 1 : kind == BALL ? 3 : 2;
            double turning[3] = {0.0, 0.0, 0.0};
            for (i = 0; i < count; i++) {
                add(turning, v[k + i], axes[k + i]);
                add(own->alpha, a[k + i], axes[k + i]);
            }
            if (kind == NO_SPIN) {
                double first[3], along[3], s_dot[3], second_dot[3], c[3] = {0.0, 0.0, 0.0};
                int j;
                for (j = 0; j < 3; j++) c[j] = PLACES[f][j][0];
                turned(from, c, first);
                column(own, 2, along);
                cross(turning, along, s_dot);
                add(own->alpha, -v[k] * dot(first, s_dot), along);
                add(own->alpha, -v[k] * dot(first, along), s_dot);
                cross(first, axes[k + 1], second_dot);
                add(own->alpha, v[k + 1] * v[k], second_dot);
            }
            cross(from->omega, turning, part);
            add(own->alpha, 1.0, part);
            add(own->omega, 1.0, turning);
        }
    }
}
"""

ROWS = """
static double combined(int r, const double *q)
{
    double total = ROW_VECTORS[r][4][0];
    int k;
    for (k = 0; k < VELOCITY_COUNT; k++)
        if (ROW_FACTORS[r][k] != 0.0) total += ROW_FACTORS[r][k] * q[VELOCITIES[k][2]];
    return total;
}

/* third side of a triangle and its derivatives by the angle */
static double lever(int r, const double *q, double *slope, double *bend)
{
    const double x = combined(r, q), twice = ROW_VECTORS[r][4][2], c = cos(x);
    const double length = sqrt(ROW_VECTORS[r][4][1] + twice * c);
    *slope = -twice * sin(x) / (2.0 * length);
    *bend = -(*slope * *slope + twice * c / 2.0) / length;
    return length;
}

static void points(int r, const Frame *frames, double *a, double *b)
{
    const Frame *fa = frames + ROWS[r][1], *fb = frames + ROWS[r][2];
    turned(fa, ROW_VECTORS[r][0], a);
    add(a, 1.0, fa->origin);
    turned(fb, ROW_VECTORS[r][1], b);
    add(b, 1.0, fb->origin);
}

/* axes of an angle's three turns */
static void turn_axes(int r, const Frame *frames, double *first, double *second, double *last)
{
    const int i = ROWS[r][3], j = ROWS[r][4];
    double size;
    column(frames + ROWS[r][1], i, first);
    column(frames + ROWS[r][2], ROWS[r][5], last);
    if ((j - i + 3) % 3 == 1) cross(last, first, second);
    else cross(first, last, second);
    size = sqrt(dot(second, second));
    second[0] /= size;
    second[1] /= size;
    second[2] /= size;
}

static void angle(int r, const Frame *frames, double *c, double *s)
{
    const int i = ROWS[r][3], j = ROWS[r][4], k = ROWS[r][5], which = ROWS[r][6];
    const double sign = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
    double first[3], second[3], last[3], axis[3], across[3];
    turn_axes(r, frames, first, second, last);
    if (which == 1) {
        cross(first, second, across);
        *c = dot(across, last) * sign;
        *s = dot(first, last) * sign;
    } else {
        const Frame *f = frames + ROWS[r][which == 0 ? 1 : 2];
        column(f, j, axis);
        *c = dot(second, axis);
        column(f, which == 0 ? k : i, axis);
        *s = dot(second, axis) * sign;
    }
}

static double residual(int r, const double *q, const Frame *frames, double target)
{
    const int kind = ROWS[r][0];
    double a[3], b[3], x, y;
    if (kind == COMBINATION) return combined(r, q) - target;
    if (kind == LEVER) return lever(r, q, &x, &y) - target;
    if (kind == AXES) {
        turned(frames + ROWS[r][1], ROW_VECTORS[r][2], a);
        turned(frames + ROWS[r][2], ROW_VECTORS[r][3], b);
        return dot(a, b) - target;
    }
    if (kind == ANGLE) {
        angle(r, frames, &x, &y);
        return (y * cos(target) - x * sin(target)) / sqrt(x * x + y * y);
    }
    points(r, frames, a, b);
    add(b, -1.0, a);
    if (kind == LENGTH) return sqrt(dot(b, b)) - target;
    turned(frames + ROWS[r][1], ROW_VECTORS[r][2], a);
    return dot(a, b) - target;
}

static void angle_moment(int r, const Frame *frames, double *m)
{
    double first[3], second[3], last[3], volume;
    const int which = ROWS[r][6];
    int i;
    turn_axes(r, frames, first, second, last);
    cross(second, last, m);
    volume = dot(first, m);
    if (which == 1) cross(last, first, m);
    if (which == 2) cross(first, second, m);
    for (i = 0; i < 3; i++) m[i] /= volume;
}

static void walk(int f, double sign, const double *force, const double *moment, const Frame *frames, double axes[][3],
                 double *row)
{
    while (f > 0) {
        int k = FRAMES[f][5];
        if (k >= 0) {
            double here[3], part[3];
            cross(frames[f].origin, force, part);
            copy(moment, here);
            add(here, -1.0, part);
            for (; k < VELOCITY_COUNT && VELOCITIES[k][0] == f; k++)
                row[k] += sign * (VELOCITIES[k][1] ? dot(axes[k], here) : dot(axes[k], force));
        }
        f = FRAMES[f][0];
    }
}

static void fill_row(int r, const double *q, const Frame *frames, double axes[][3], double *row)
{
    const int kind = ROWS[r][0];
    double f[3] = {0.0, 0.0, 0.0}, m[3] = {0.0, 0.0, 0.0}, a[3], b[3], slope = 1.0, bend, part[3];
    int k;
    if (kind == COMBINATION || kind == LEVER) {
        if (kind == LEVER) lever(r, q, &slope, &bend);
        for (k = 0; k < VELOCITY_COUNT; k++) row[k] = ROW_FACTORS[r][k] * slope;
        return;
    }
    for (k = 0; k < VELOCITY_COUNT; k++) row[k] = 0.0;
    points(r, frames, a, b);
    if (kind == POINT) turned(frames + ROWS[r][1], ROW_VECTORS[r][2], f);
    else if (kind == LENGTH) {
        copy(b, f);
        add(f, -1.0, a);
        slope = sqrt(dot(f, f));
        for (k = 0; k < 3; k++) f[k] /= slope;
    } else if (kind == AXES) {
        double u[3], w[3];
        turned(frames + ROWS[r][1], ROW_VECTORS[r][2], u);
        turned(frames + ROWS[r][2], ROW_VECTORS[r][3], w);
        cross(w, u, m);
    } else if (kind == ANGLE) angle_moment(r, frames, m);
    else turned(frames + ROWS[r][1], ROW_VECTORS[r][2], m);
    cross(b, f, part);
    add(m, 1.0, part);
    walk(ROWS[r][2], 1.0, f, m, frames, axes, row);
    walk(ROWS[r][1], -1.0, f, m, frames, axes, row);
}

static void swung(const double *w, const double *al, const double *u, double *first, double *second)
{
    double part[3];
    cross(w, u, first);
    cross(al, u, second);
    cross(w, first, part);
    add(second, 1.0, part);
}

/* a row's second derivative while the tree's accelerations are zero */
static double drift(int r, const double *q, const double *v, const Frame *frames)
{
    const int kind = ROWS[r][0];
    const Frame *fa = frames + ROWS[r][1], *fb = frames + ROWS[r][2];
    double a[3], b[3], a1[3], a2[3], b1[3], b2[3], span[3], first[3], change[3], d[3], d1[3], d2[3];
    int k;
    if (kind == COMBINATION) return 0.0;
    if (kind == LEVER) {
        double slope, bend, rate = 0.0;
        lever(r, q, &slope, &bend);
        for (k = 0; k < VELOCITY_COUNT; k++) rate += ROW_FACTORS[r][k] * v[k];
        return bend * rate * rate;
    }
    if (kind == AXES) {
        turned(fa, ROW_VECTORS[r][2], a);
        turned(fb, ROW_VECTORS[r][3], b);
        swung(fa->omega, fa->alpha, a, a1, a2);
        swung(fb->omega, fb->alpha, b, b1, b2);
        return dot(a2, b) + 2.0 * dot(a1, b1) + dot(a, b2);
    }
    if (kind == ANGLE) {
        double e1[3], e2[3], e3[3], m[3], w[3], own[3], part[3], middle[3], volume, t1, t2, t3;
        turn_axes(r, frames, e1, e2, e3);
        angle_moment(r, frames, m);
        for (k = 0; k < 3; k++) w[k] = fb->omega[k] - fa->omega[k];
        cross(e2, e3, part);
        volume = dot(e1, part);
        t1 = dot(part, w) / volume;
        cross(e3, e1, part);
        t2 = dot(part, w) / volume;
        cross(e1, e2, part);
        t3 = dot(part, w) / volume;
        copy(fa->omega, middle);
        add(middle, t1, e1);
        cross(fa->omega, e1, own);
        for (k = 0; k < 3; k++) own[k] *= t1;
        cross(middle, e2, part);
        add(own, t2, part);
        cross(fb->omega, e3, part);
        add(own, t3, part);
        for (k = 0; k < 3; k++) w[k] = fb->alpha[k] - fa->alpha[k] - own[k];
        return dot(m, w);
    }
    turned(fa, ROW_VECTORS[r][0], a);
    turned(fb, ROW_VECTORS[r][1], b);
    swung(fa->omega, fa->alpha, a, a1, a2);
    swung(fb->omega, fb->alpha, b, b1, b2);
    for (k = 0; k < 3; k++) {
        span[k] = fb->origin[k] + b[k] - fa->origin[k] - a[k];
        first[k] = fb->speed[k] + b1[k] - fa->speed[k] - a1[k];
        change[k] = fb->second[k] + b2[k] - fa->second[k] - a2[k];
    }
    if (kind == LENGTH) {
        const double length = sqrt(dot(span, span)), rate = dot(span, first) / length;
        return dot(span, change) / length + (dot(first, first) - rate * rate) / length;
    }
    turned(fa, ROW_VECTORS[r][2], d);
    swung(fa->omega, fa->alpha, d, d1, d2);
    return dot(d2, span) + 2.0 * dot(d1, first) + dot(d, change);
}
"""

SOLVE = """
/* factors L U = P A in place; smallest over largest pivot in units of the machine, negative beyond a singularity */
static double factorize(double m[][VELOCITY_COUNT], int *order)
{
    double scale[VELOCITY_COUNT], least = 0.0, most = 0.0, sign = 1.0;
    int i, j, k;
    for (i = 0; i < VELOCITY_COUNT; i++) scale[i] = ROW_SCALES[i];
    for (k = 0; k < VELOCITY_COUNT; k++) {
        int best = k;
        double pivot;
        for (i = k + 1; i < VELOCITY_COUNT; i++)
            if (fabs(m[i][k]) * scale[best] > fabs(m[best][k]) * scale[i]) best = i;
        order[k] = best;
        if (best != k) {
            const double kept = scale[k];
            scale[k] = scale[best];
            scale[best] = kept;
            sign = -sign;
            for (j = 0; j < VELOCITY_COUNT; j++) {
                const double one = m[k][j];
                m[k][j] = m[best][j];
                m[best][j] = one;
            }
        }
        pivot = fabs(m[k][k]) / (scale[k] * VELOCITY_SCALES[k]);
        if (!(pivot > 0.0)) return 0.0;
        if (m[k][k] < 0.0) sign = -sign;
        if (k == 0 || pivot < least) least = pivot;
        if (k == 0 || pivot > most) most = pivot;
        for (i = k + 1; i < VELOCITY_COUNT; i++) {
            const double factor = m[i][k] / m[k][k];
            if (m[i][k] == 0.0) continue;
            m[i][k] = factor;
            for (j = k + 1; j < VELOCITY_COUNT; j++) m[i][j] -= factor * m[k][j];
        }
    }
    return sign * least / most;
}

static void solve(double m[][VELOCITY_COUNT], const int *order, double *x)
{
    int i, j, k;
    for (k = 0; k < VELOCITY_COUNT; k++) {
        const double one = x[k];
        x[k] = x[order[k]];
        x[order[k]] = one;
    }
    for (i = 0; i < VELOCITY_COUNT; i++)
        for (j = 0; j < i; j++) x[i] -= m[i][j] * x[j];
    for (i = VELOCITY_COUNT - 1; i >= 0; i--) {
        for (j = i + 1; j < VELOCITY_COUNT; j++) x[i] -= m[i][j] * x[j];
        x[i] /= m[i][i];
    }
}

static void solve_transposed(double m[][VELOCITY_COUNT], const int *order, double *x)
{
    int i, j, k;
    for (i = 0; i < VELOCITY_COUNT; i++) {
        for (j = 0; j < i; j++) x[i] -= m[j][i] * x[j];
        x[i] /= m[i][i];
    }
    for (i = VELOCITY_COUNT - 1; i >= 0; i--)
        for (j = i + 1; j < VELOCITY_COUNT; j++) x[i] -= m[j][i] * x[j];
    for (k = VELOCITY_COUNT - 1; k >= 0; k--) {
        const double one = x[k];
        x[k] = x[order[k]];
        x[order[k]] = one;
    }
}

static double jacobian(const double *q, const Frame *frames, double axes[][3], double m[][VELOCITY_COUNT], int *order)
{
    int i;
    for (i = 0; i < VELOCITY_COUNT; i++) fill_row(i, q, frames, axes, m[i]);
    return factorize(m, order);
}
"""

MAIN = """
static void advance(double *q, const double *step)
{
    int f;
    for (f = 0; f < FRAME_COUNT; f++) {
        const int kind = FRAMES[f][1], k = FRAMES[f][4], v = FRAMES[f][5];
        if (kind == REVOLUTE || kind == PRISMATIC) q[k] += step[v];
        else if (kind == NO_SPIN) {
            q[k] += step[v];
            q[k + 1] += step[v + 1];
        } else if (kind == BALL) {
            const double a = step[v] / 2.0, b = step[v + 1] / 2.0, c = step[v + 2] / 2.0;
            const double x = q[k], y = q[k + 1], z = q[k + 2], w = q[k + 3];
            const double p = x + a * w + c * y - b * z, r = y + b * w + a * z - c * x;
            const double s = z + c * w + b * x - a * y, t = w - a * x - b * y - c * z;
            const double size = sqrt(p * p + r * r + s * s + t * t);
            q[k] = p / size;
            q[k + 1] = r / size;
            q[k + 2] = s / size;
            q[k + 3] = t / size;
        }
    }
}

/* where a ball hangs on a joint without spin it makes up for the turn that this one's velocities leave out */
static void take_spin_back(const double *q, const Frame *frames, double *step)
{
    int f, g, i;
    for (f = 0; f < FRAME_COUNT; f++) {
        const int v = FRAMES[f][5];
        if (FRAMES[f][1] != BALL) continue;
        for (g = FRAMES[f][0]; g > 0; g = FRAMES[g][0]) {
            if (FRAMES[g][1] == NO_SPIN) {
                const double turn = step[FRAMES[g][5]] * sin(q[FRAMES[g][4] + 1]);
                double along[3], axis[3];
                column(frames + g, 2, along);
                for (i = 0; i < 3; i++) {
                    column(frames + f, i, axis);
                    step[v + i] -= turn * dot(along, axis);
                }
            }
        }
    }
}

/* close loops and drives; 0 where they are */
static int close_loops(const double *coordinate, double *q, Frame *frames, double axes[][3], double m[][VELOCITY_COUNT],
                       int *order)
{
    double gap[VELOCITY_COUNT];
    int i, round, last = 0;
    for (round = 0; round <= 40; round++) {
        double most = 0.0, longest = 1.0;
        place(q, frames, axes);
        for (i = 0; i < VELOCITY_COUNT; i++) {
            const int drive = i - VELOCITY_COUNT + DRIVE_COUNT;
            gap[i] = -residual(i, q, frames, drive >= 0 ? coordinate[drive] : 0.0);
            if (!(fabs(gap[i]) <= most)) most = fabs(gap[i]);
        }
        if (!(most < 1e15)) return 1;
        if (last) return !(most <= TOLERANCE);
        if (jacobian(q, frames, axes, m, order) == 0.0) return 1;
        solve(m, order, gap);
        for (i = 0; i < VELOCITY_COUNT; i++) {
            const double limit = VELOCITIES[i][1] ? 0.5 : LONGEST;
            if (fabs(gap[i]) * longest > limit) longest = limit / fabs(gap[i]);
        }
        most = 0.0;
        for (i = 0; i < VELOCITY_COUNT; i++) gap[i] *= longest;
        take_spin_back(q, frames, gap);
        for (i = 0; i < VELOCITY_COUNT; i++)
            if (!(fabs(gap[i]) <= most)) most = fabs(gap[i]);
        advance(q, gap);
        last = most < LAST_STEP;
    }
    return 1;
}

/* inertia of a body about its origin times a vector, body axes */
static void inertia_times(const double *w, const double *u, double *out)
{
    const double x = w[4] * u[0] + w[7] * u[1] + w[8] * u[2], y = w[7] * u[0] + w[5] * u[1] + w[9] * u[2];
    const double z = w[8] * u[0] + w[9] * u[1] + w[6] * u[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* forces along the tree's velocities by Newton and Euler */
static void tree_forces(const Frame *frames, double axes[][3], double *tree)
{
    double force[FRAME_COUNT][3] = {{0.0}}, moment[FRAME_COUNT][3] = {{0.0}};
    int b, f, k;
    for (b = 0; b < BODY_COUNT; b++) {
        const Frame *own = frames + BODIES[b];
        const double *w = PARAMETERS[b];
        double pull[3], arm[3], push[3], couple[3], part[3], turn[3], spun[3], euler[3];
        f = BODIES[b];
        for (k = 0; k < 3; k++) pull[k] = own->second[k] - GRAVITY[k];
        turned(own, w + 1, arm);
        for (k = 0; k < 3; k++) push[k] = w[0] * pull[k];
        cross(own->alpha, arm, part);
        add(push, 1.0, part);
        cross(own->omega, arm, part);
        cross(own->omega, part, part);
        add(push, 1.0, part);
        turned_back(own, own->omega, turn);
        turned_back(own, own->alpha, spun);
        inertia_times(w, spun, euler);
        inertia_times(w, turn, part);
        cross(turn, part, part);
        add(euler, 1.0, part);
        turned(own, euler, euler);
        cross(arm, pull, couple);
        add(couple, 1.0, euler);
        cross(own->origin, push, part);
        add(couple, 1.0, part);
        add(force[f], 1.0, push);
        add(moment[f], 1.0, couple);
    }
    for (f = FRAME_COUNT - 1; f > 0; f--) {
        add(force[FRAMES[f][0]], 1.0, force[f]);
        add(moment[FRAMES[f][0]], 1.0, moment[f]);
    }
    for (k = 0; k < VELOCITY_COUNT; k++) {
        double part[3], here[3];
        f = VELOCITIES[k][0];
        cross(frames[f].origin, force[f], part);
        copy(moment[f], here);
        add(here, -1.0, part);
        tree[k] = VELOCITIES[k][1] ? dot(axes[k], here) : dot(axes[k], force[f]);
    }
}
@PASSIVE@
int @PREFIX@_forces(const double coordinate[@DRIVE_COUNT@], const double rate[@DRIVE_COUNT@],
                    const double acceleration[@DRIVE_COUNT@], double state[@STATE_COUNT@], double force[@DRIVE_COUNT@])
{
    static const double still[VELOCITY_COUNT] = {0.0};
    Frame frames[FRAME_COUNT];
    double axes[VELOCITY_COUNT][3], m[VELOCITY_COUNT][VELOCITY_COUNT], q[@STATE_COUNT@], v[VELOCITY_COUNT];
    double a[VELOCITY_COUNT], tree[VELOCITY_COUNT], pivot;
    const int first = VELOCITY_COUNT - DRIVE_COUNT; /* row of the first drive */
    int order[VELOCITY_COUNT], i;
    for (i = 0; i < DRIVE_COUNT; i++)
        if (!(fabs(coordinate[i]) < 1e15 && fabs(rate[i]) < 1e15 && fabs(acceleration[i]) < 1e15)) return 1;
    for (i = 0; i < @STATE_COUNT@; i++) q[i] = state[i];
    if (close_loops(coordinate, q, frames, axes, m, order)) return 1;
    pivot = jacobian(q, frames, axes, m, order);
    if (fabs(pivot) < 1e-7) return 1;
    for (i = 0; i < VELOCITY_COUNT; i++) v[i] = i < first ? 0.0 : rate[i - first];
    solve(m, order, v);
    move(frames, axes, v, still);
    for (i = 0; i < VELOCITY_COUNT; i++) a[i] = (i < first ? 0.0 : acceleration[i - first]) - drift(i, q, v, frames);
    solve(m, order, a);
    move(frames, axes, v, a);
    tree_forces(frames, axes, tree);@PASSIVE_CALL@
    solve_transposed(m, order, tree);
    for (i = 0; i < @STATE_COUNT@; i++) state[i] = q[i];
    for (i = 0; i < DRIVE_COUNT; i++)
        force[i] = tree[first + i] + INERTIA[i] * acceleration[i] + drive_friction(i, rate[i]);
    return 0;
}

void @PREFIX@_home(double state[@STATE_COUNT@])
{
    int i;
    for (i = 0; i < @STATE_COUNT@; i++) state[i] = HOME[i];
}
"""

# Friction of passive joints along the tree's velocities and of further rows behind those that are closed
PASSIVE = """
static void add_passive_friction(const double *q, const Frame *frames, double axes[][3], const double *v, double *tree)
{
    double row[VELOCITY_COUNT], rates[AXIS_COUNT], size[AXIS_COUNT];
    int i, k;
    for (i = 0; i < AXIS_COUNT; i++) {
        if (i < VELOCITY_COUNT) rates[i] = v[i];
        else {
            fill_row(i, q, frames, axes, row);
            for (rates[i] = 0.0, k = 0; k < VELOCITY_COUNT; k++) rates[i] += row[k] * v[k];
        }
        size[i] = fabs(rates[i]);
    }
    for (i = 0; i < TRIPLE_COUNT; i++) {
        const double *r = rates + TRIPLES[i];
        for (k = 0; k < 3; k++) size[TRIPLES[i] + k] = sqrt(dot(r, r));
    }
    for (i = 0; i < AXIS_COUNT; i++) {
        const double bend = size[i] > JOINT_TRANSITION ? size[i] : JOINT_TRANSITION;
        const double needed = JOINT_FRICTION[i][0] * rates[i] / bend + JOINT_FRICTION[i][1] * rates[i];
        if (i < VELOCITY_COUNT) {
            tree[i] += needed;
            continue;
        }
        fill_row(i, q, frames, axes, row);
        for (k = 0; k < VELOCITY_COUNT; k++) tree[k] += needed * row[k];
    }
}
"""
