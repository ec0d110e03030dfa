# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The C99 text of the inverse dynamics; `c_code` fills in the machine."""

from __future__ import annotations

HEADER = """\
/* Inverse dynamics of the hexapod '@NAME@': strut forces from the platform's pose, twist and acceleration.
 * Written by pkm export of pkm_identification @VERSION@ (machine description @HASH@).
 *
 * C99, one file, no state, no allocation, no recursion; of libm only @LIBM@.
 * SI units; base frame and platform frame are those of the machine description. Struts 1 to 6 are 0 to 5 here.
 * A force is positive when the strut pushes the platform joint away from the base joint.
 *
 * int @PREFIX@_forces(position, rotation, twist, acceleration, payload, force, length, rate)
 *   position[3]      platform frame's origin in the base frame, m
 *   rotation[9]      platform frame to base frame, row by row
 *   twist[6]         velocity of the origin (m/s), angular velocity (rad/s), base axes
 *   acceleration[6]  of the origin (m/s^2), angular (rad/s^2), base axes
 *   payload[10]      what is fixed to the platform besides: mass (kg), first moments x, y, z (kg m) and moments and
 *                    products of inertia xx, yy, zz, xy, xz, yz (kg m^2) about the platform frame's origin in its axes;
 *                    products are the matrix entries (xy = -integral of x y dm). NULL: none
 *   force[6]         result, N
 *   length[6], rate[6]  results, m and m/s; NULL: not wanted
 *   returns 0, or 1 where the pose is singular or a number is not finite: force is then as it was before
 *
 * void @PREFIX@_rotation(quaternion, rotation): of a unit quaternion x, y, z, w
 *
 * Who measures lengths alone needs the pose first: forward kinematics is not in this file.
 */
#include <math.h>
#include <stddef.h>

int @PREFIX@_forces(const double position[3], const double rotation[9], const double twist[6],
                    const double acceleration[6], const double payload[10], double force[6], double length[6],
                    double rate[6]);
void @PREFIX@_rotation(const double quaternion[4], double rotation[9]);

"""

COMMON = """
static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *out)
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* a += k b */
static void add(double *a, double k, const double *b)
{
    a[0] += k * b[0];
    a[1] += k * b[1];
    a[2] += k * b[2];
}

static void rotate(const double *r, const double *a, double *out)
{
    out[0] = dot(r, a);
    out[1] = dot(r + 3, a);
    out[2] = dot(r + 6, a);
}

static void rotate_back(const double *r, const double *a, double *out)
{
    out[0] = r[0] * a[0] + r[3] * a[1] + r[6] * a[2];
    out[1] = r[1] * a[0] + r[4] * a[1] + r[7] * a[2];
    out[2] = r[2] * a[0] + r[5] * a[1] + r[8] * a[2];
}

/* part of a across the unit vector s */
static void perpendicular(const double *a, const double *s, double *out)
{
    const double along = dot(a, s);
    out[0] = a[0] - along * s[0];
    out[1] = a[1] - along * s[1];
    out[2] = a[2] - along * s[2];
}

static void symmetric(const double *i, const double *a, double *out)
{
    out[0] = i[0] * a[0] + i[3] * a[1] + i[4] * a[2];
    out[1] = i[3] * a[0] + i[1] * a[1] + i[5] * a[2];
    out[2] = i[4] * a[0] + i[5] * a[1] + i[2] * a[2];
}

/* Spin of a strut about its axis, its rate, and per unit axial torque the force at the platform joint and the moment on
 * the platform; hinge is the fixed axis of the universal joint in base axes. */
static void strut_spin(const double *s, double l, const double *s1, const double *s2, const double *hinge,
                       const double *w, const double *al, double *sigma, double *sigma1, double *per_torque,
                       double *share)
{
    double side[3], c, k, k1, c1, along;
    int n;
    for (n = 0; n < 3; n++) {
        per_torque[n] = 0.0;
        share[n] = 0.0;
    }
    *sigma = 0.0;
    *sigma1 = 0.0;
    if (SPIN == 0) return;
    c = dot(hinge, s);
    cross(hinge, s, side);
    k = c / (1.0 - c * c);
    if (SPIN == 2) {
        double seen[3], seen1[3], turned[3], bent[3];
        cross(w, s, turned);
        for (n = 0; n < 3; n++) seen[n] = s1[n] - turned[n];
        cross(al, s, turned);
        for (n = 0; n < 3; n++) seen1[n] = s2[n] - turned[n];
        cross(w, s1, turned);
        cross(w, seen, bent);
        for (n = 0; n < 3; n++) seen1[n] -= turned[n] + bent[n];
        c1 = dot(hinge, seen);
        k1 = c1 * (1.0 + c * c) / ((1.0 - c * c) * (1.0 - c * c));
        along = dot(side, seen);
        *sigma = dot(w, s) + k * along;
        *sigma1 = dot(al, s) + dot(w, s1) + k1 * along + k * dot(side, seen1);
        for (n = 0; n < 3; n++) share[n] = (s[n] - c * hinge[n]) / (1.0 - c * c);
    } else {
        c1 = dot(hinge, s1);
        k1 = c1 * (1.0 + c * c) / ((1.0 - c * c) * (1.0 - c * c));
        along = dot(side, s1);
        *sigma = k * along;
        *sigma1 = k1 * along + k * dot(side, s2);
    }
    for (n = 0; n < 3; n++) per_torque[n] = k / l * side[n];
}
"""

CLIPPED = """
static double clipped(double x, double bend)
{
    if (x >= bend) return 1.0;
    if (x <= -bend) return -1.0;
    return x / bend;
}
"""

JOINTS = """
/* Friction of the struts' joints at both ends, added to the wrench that the struts must provide. */
static void add_joint_friction(int i, const double *s, double l, const double *arm, const double *hinge,
                               const double *twist, double *wrench)
{
    static const double still[3] = {0.0, 0.0, 0.0};
    double second[3] = {0.0, 0.0, 0.0}, per_torque[3], share[3], sigma, sigma1;
    int end, k, n;
    strut_spin(s, l, still, still, hinge, still, still, &sigma, &sigma1, per_torque, share);
    if (SPIN != 0) {
        cross(hinge, s, second);
        const double size = sqrt(dot(second, second));
        for (n = 0; n < 3; n++) second[n] /= size;
    }
    for (end = 0; end < 2; end++) {
        const int hinged = SPIN == end + 1;
        const double sign = end == 0 ? 1.0 : -1.0;
        double rows[3][6], turning[3], coulomb[3], size;
        for (k = 0; k < 3; k++) {
            double axis[3] = {0.0, 0.0, 0.0}, by_point[3], by_turn[3], along;
            if (!hinged) axis[k] = 1.0;
            else if (k < 2) for (n = 0; n < 3; n++) axis[n] = k == 0 ? hinge[n] : second[n];
            along = dot(axis, s);
            cross(s, axis, by_point);
            for (n = 0; n < 3; n++) by_point[n] = -by_point[n] / l + along * per_torque[n];
            cross(arm, by_point, by_turn);
            add(by_turn, along, share);
            turning[k] = 0.0;
            for (n = 0; n < 3; n++) {
                rows[k][n] = sign * by_point[n];
                rows[k][3 + n] = sign * by_turn[n] + (end == 1 ? axis[n] : 0.0);
            }
            for (n = 0; n < 6; n++) turning[k] += rows[k][n] * twist[n];
        }
        if (hinged) {
            for (k = 0; k < 2; k++) coulomb[k] = clipped(turning[k], JOINT_TRANSITION);
            coulomb[2] = 0.0;
        } else {
            size = sqrt(dot(turning, turning));
            if (size < JOINT_TRANSITION) size = JOINT_TRANSITION;
            for (k = 0; k < 3; k++) coulomb[k] = turning[k] / size;
        }
        for (k = 0; k < 3; k++)
            for (n = 0; n < 6; n++)
                wrench[n] += rows[k][n]
                    * (JOINT_FRICTION[2 * end][i] * coulomb[k] + JOINT_FRICTION[2 * end + 1][i] * turning[k]);
    }
}
"""

SOLVE = """
/* Solves the rows of a by elimination with pivots, in place; returns 1 where it is singular. */
static int solve(double a[6][6], double *b)
{
    int i, j, k;
    for (k = 0; k < 6; k++) {
        int pivot = k;
        for (i = k + 1; i < 6; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        if (!(fabs(a[pivot][k]) > 1e-13)) return 1;
        for (j = 0; j < 6; j++) {
            const double kept = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        const double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (i = k + 1; i < 6; i++) {
            const double factor = a[i][k] / a[k][k];
            for (j = k; j < 6; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (k = 5; k >= 0; k--) {
        for (j = k + 1; j < 6; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    for (k = 0; k < 6; k++)
        if (!(fabs(b[k]) <= 1e300)) return 1;
    return 0;
}
"""

MAIN = """
int @PREFIX@_forces(const double position[3], const double rotation[9], const double twist[6],
                    const double acceleration[6], const double payload[10], double force[6], double length[6],
                    double rate[6])
{
    const double *v = twist, *w = twist + 3, *a = acceleration, *al = acceleration + 3;
    double columns[6][6], lengths[6], rates[6], wrench[6], body[10];
    double pull[3], first[3], turning[3], twice[3], w_p[3], al_p[3], momentum[3], torque[3], change[3];
    int i, n;

    for (n = 0; n < 10; n++) body[n] = PLATFORM[n] + (payload == NULL ? 0.0 : payload[n]);
    for (n = 0; n < 3; n++) pull[n] = a[n] - GRAVITY[n];

    /* platform and payload: Newton and Euler about the platform's origin */
    rotate(rotation, body + 1, first);
    cross(w, first, turning);
    cross(w, turning, twice);
    cross(al, first, turning);
    for (n = 0; n < 3; n++) wrench[n] = body[0] * pull[n] + turning[n] + twice[n];
    rotate_back(rotation, w, w_p);
    rotate_back(rotation, al, al_p);
    symmetric(body + 4, w_p, momentum);
    cross(w_p, momentum, torque);
    symmetric(body + 4, al_p, change);
    add(torque, 1.0, change);
    rotate(rotation, torque, wrench + 3);
    cross(first, pull, turning);
    add(wrench + 3, 1.0, turning);

    for (i = 0; i < 6; i++) {
        double arm[3], d[3], s[3], s1[3], s2[3], v_p[3], a_p[3], f[3], part[3], hinge[3], per_torque[3], share[3];
        double l, l1, l2, along, sigma, sigma1;
        rotate(rotation, PLATFORM_JOINTS[i], arm);
        for (n = 0; n < 3; n++) d[n] = position[n] + arm[n] - BASE_JOINTS[i][n];
        l = sqrt(dot(d, d));
        for (n = 0; n < 3; n++) s[n] = d[n] / l;
        cross(w, arm, turning);
        cross(w, turning, twice);
        cross(al, arm, part);
        for (n = 0; n < 3; n++) {
            v_p[n] = v[n] + turning[n];
            a_p[n] = a[n] + part[n] + twice[n];
        }
        l1 = dot(v_p, s);
        for (n = 0; n < 3; n++) s1[n] = (v_p[n] - l1 * s[n]) / l;
        l2 = dot(a_p, s) + l * dot(s1, s1);
        for (n = 0; n < 3; n++) s2[n] = (a_p[n] - l2 * s[n] - 2.0 * l1 * s1[n]) / l;
        if (SPIN == 2) rotate(rotation, HINGES[i], hinge);
        else for (n = 0; n < 3; n++) hinge[n] = HINGES[i][n];

        /* what the strut's two bodies need at the platform joint */
        for (n = 0; n < 3; n++) part[n] = a_p[n] - GRAVITY[n];
        for (n = 0; n < 3; n++) f[n] = STRUTS[i][0] * part[n];
        perpendicular(part, s, turning);
        for (n = 0; n < 3; n++) f[n] -= STRUTS[i][1] * (s2[n] + turning[n] / l);
        perpendicular(GRAVITY, s, turning);
        add(f, -STRUTS[i][2] / l, turning);
        perpendicular(s2, s, turning);
        add(f, STRUTS[i][3] / l, turning);
        strut_spin(s, l, s1, s2, hinge, w, al, &sigma, &sigma1, per_torque, share);
        cross(s1, s, turning);
        add(f, STRUTS[i][4] * sigma / l, turning);
        add(f, STRUTS[i][4] * sigma1, per_torque);
        along = STRUTS[i][5] * l2;
        add(f, along, s);

        add(wrench, 1.0, f);
        cross(arm, f, turning);
        add(wrench + 3, 1.0, turning);
        add(wrench + 3, STRUTS[i][4] * sigma1, share);@JOINT_CALL@

        cross(arm, s, turning);
        for (n = 0; n < 3; n++) {
            columns[n][i] = s[n];
            columns[3 + n][i] = turning[n];
        }
        lengths[i] = l;
        rates[i] = l1;
    }
    if (solve(columns, wrench)) return 1;
    for (i = 0; i < 6; i++) {
        force[i] = wrench[i] + strut_friction(i, rates[i]);
        if (length != NULL) length[i] = lengths[i];
        if (rate != NULL) rate[i] = rates[i];
    }
    return 0;
}

void @PREFIX@_rotation(const double quaternion[4], double rotation[9])
{
    const double x = quaternion[0], y = quaternion[1], z = quaternion[2], w = quaternion[3];
    rotation[0] = 1.0 - 2.0 * (y * y + z * z);
    rotation[1] = 2.0 * (x * y - z * w);
    rotation[2] = 2.0 * (x * z + y * w);
    rotation[3] = 2.0 * (x * y + z * w);
    rotation[4] = 1.0 - 2.0 * (x * x + z * z);
    rotation[5] = 2.0 * (y * z - x * w);
    rotation[6] = 2.0 * (x * z - y * w);
    rotation[7] = 2.0 * (y * z + x * w);
    rotation[8] = 1.0 - 2.0 * (x * x + y * y);
}
"""

# Friction by the law's name: the value of a function of the strut's number i and rate r, and what of libm that calls.
FRICTION = {
    "coulomb": ("FRICTION[0][i] * r + FRICTION[1][i] * clipped(r, LAW[0])", ""),
    "source": (
        "(fabs(r) <= LAW[0] ? 0.0 : FRICTION[0][i] * r) + FRICTION[1][i] * clipped(r, LAW[0])",
        "",
    ),
    "asymmetric": (
        "FRICTION[0][i] * r + FRICTION[1][i] * clipped(r, LAW[0]) + FRICTION[2][i] * fabs(clipped(r, LAW[0]))",
        "",
    ),
    "stribeck": (
        "FRICTION[0][i] * r\n        + FRICTION[1][i] * clipped(r, LAW[0])\n        "
        "* (1.0 + (LAW[1] - 1.0) * exp(-(r / LAW[2]) * (r / LAW[2])))",
        "exp",
    ),
    "smooth": ("FRICTION[0][i] * r + FRICTION[1][i] * tanh(r / LAW[0])", "tanh"),
}
