/* The machine in 3D: base, platform, struts with their two bodies, joints, frames. A classic script for pages that are
 * opened from a file or served; drawing.js comes before it.
 *
 *   const view = new PkmMachineView(element, machine, { theme: "dark" });
 *   view.setPose([x, y, z, qx, qy, qz, qw]);   // m; quaternion from platform to base axes
 *
 * `machine` is what machine_scene() of pkm_identification.browser writes: joint places in m, base z up; or of any other
 * machine {name, lines}, moved by view.setLines(lines). A picture is
 * drawn when something has changed, never otherwise. Dragging turns the machine, Ctrl and wheel come closer, arrow keys
 * turn, a double click goes back to the first view.
 */
"use strict";

globalThis.PkmMachineView = (() => {
  const PALETTES = {
    light: {
      base: 0x8a94a3, platform: 0xe08a1e, outer: 0x3b6fb5, rod: 0xc3cad4, joint: 0x39424e, line: 0xe08a1e, grid: 0xc9d0d9, text: "#1c232b",
    },
    dark: {
      base: 0x717c8c, platform: 0xf0a040, outer: 0x5b92dd, rod: 0xd5dbe4, joint: 0xaab4c2, line: 0xf0a040, grid: 0x3a4452, text: "#eef2f7",
    },
  };
  const AXES = [0xd1383d, 0x2f9e44, 0x3467d6]; // x, y, z
  const FROM = [1.5, -2.4, 1.05]; // where one looks from at first, relative to the middle
  const ANGLE = 32; // degrees of the camera's field of view
  const TURN = 0.12; // rad for an arrow key
  const KEY_MARGIN = 0.1; // rad from straight above or below, which keys do not pass
  const OUTER = 0.72; // length of body B as a part of the shortest strut
  const { add, subtract, scale, dot, cross, norm, unit, mean, alongMatrix, createLines, createCylinder } = PkmDrawing;

  /** A closed plate through points in their order around their middle, of some thickness. */
  function createPlate(points, thickness) {
    const middle = mean(points);
    const first = subtract(points[0], middle);
    const crosses = points.map((p) => cross(first, subtract(p, middle)));
    const normal = unit(crosses.reduce((a, b) => (norm(b) > norm(a) ? b : a)));
    const across = cross(normal, first);
    const angle = (p) => {
      const d = subtract(p, middle);
      return Math.atan2(dot(d, across) / norm(across), dot(d, first) / norm(first));
    };
    const ring = [...points].sort((a, b) => angle(a) - angle(b));
    const half = scale(normal, thickness / 2);
    const [above, below] = [ring.map((p) => add(p, half)), ring.map((p) => subtract(p, half))];
    const [top, bottom] = [add(middle, half), subtract(middle, half)];
    const corners = ring.flatMap((_, i) => {
      const j = (i + 1) % ring.length;
      const faces = [top, above[i], above[j], bottom, below[j], below[i]];
      return [...faces, above[i], below[i], below[j], above[i], below[j], above[j]];
    });
    return PkmDrawing.createMesh(corners);
  }

  class PkmMachineView {
    /** Draws into an element, whose size it follows; `options.theme` is "light" or "dark". */
    constructor(element, machine, options = {}) {
      this.frames = 0; // pictures drawn so far
      this.element = element;
      this.machine = machine;
      const canvas = document.createElement("canvas");
      this.drawing = new PkmDrawing(canvas, ANGLE * (Math.PI / 180));
      this.available = Boolean(this.drawing.gl);
      if (!this.available) {
        element.textContent = "No picture in 3D: this browser has no WebGL.";
        return;
      }
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${machine.name} in 3D; arrow keys turn it`);
      canvas.tabIndex = 0;
      canvas.style.display = "block";
      element.append(canvas);
      this.drawing.onChange = () => this.redraw();
      canvas.addEventListener("dblclick", () => this._look());
      canvas.addEventListener("keydown", (event) => this._key(event));
      this._measure();
      this._build();
      this.setTheme(options.theme || "light");
      if (machine.home) this.setPose(machine.home);
      this._observer = new ResizeObserver(() => this._resize());
      this._observer.observe(element);
      this._resize();
    }

    /** Platform at a pose: position in m and quaternion x, y, z, w, from platform to base axes. */
    setPose(pose) {
      if (!this.available || !this.platform) return;
      this.platform.matrix = PkmDrawing.poseMatrix(pose.slice(0, 3), pose.slice(3));
      this.lengths = this.struts.map((strut) => this._place(strut));
      this.redraw();
    }

    setTheme(theme) {
      if (!this.available) return;
      const palette = PALETTES[theme];
      for (const [name, style] of Object.entries(this.style)) style.color = palette[name];
      this.drawing.writeLabels(palette.text);
      this.redraw();
    }

    /** The picture as it is now, a PNG as a data URL: for printing, and for tests. */
    picture() {
      if (!this.available) return "";
      this._draw();
      return this.drawing.canvas.toDataURL("image/png");
    }

    redraw() {
      if (this.available && !this._waiting) this._waiting = requestAnimationFrame(() => this._draw());
    }

    dispose() {
      if (!this.available) return;
      cancelAnimationFrame(this._waiting);
      this._observer.disconnect();
      this.drawing.dispose();
      this.available = false;
    }

    _draw() {
      this._waiting = 0;
      this.drawing.draw();
      this.frames += 1;
    }

    style = {
      base: { lit: true, opacity: 0.55, bothSides: true, keepsDepth: false },
      platform: { lit: true, opacity: 0.85, bothSides: true },
      outer: { lit: true },
      rod: { lit: true },
      joint: { lit: true },
      grid: {},
      line: {},
    };

    /** Middle and size of the machine at home, from which everything else takes its size. */
    _measure() {
      const { home, base_joints: base, platform_joints: platform, lines } = this.machine;
      const there = base ? PkmDrawing.poseMatrix(home.slice(0, 3), home.slice(3)) : null;
      const points = base
        ? [...base, ...platform.map((p) => PkmDrawing.transform(there, p))]
        : lines.flatMap((body) => body.points);
      const [low, high] = [Math.min, Math.max].map((end) => [0, 1, 2].map((k) => end(...points.map((p) => p[k]))));
      this.middle = this.drawing.camera.middle = mean([low, high]);
      this.size = Math.max(...points.map((p) => norm(subtract(p, this.middle))));
      this.floor = low[2] - 0.2 * this.size;
    }

    /** Bodies as lines between their joints: [{name, points: ends one after the other, m}]. */
    setLines(bodies) {
      if (!this.available || !this.drawn) return;
      for (const part of this.drawn) this.drawing.remove(part);
      this.drawn = bodies.map(({ name, points }) => {
        const style = name === "base" ? this.style.grid : this.style.line;
        return this.drawing.add({ mesh: createLines(points), style });
      });
      this.redraw();
    }

    _build() {
      const { machine, size, drawing, style } = this;
      const ground = { matrix: PkmDrawing.poseMatrix([0, 0, 0], [0, 0, 0, 1]) };
      this._addGrid();
      this._addAxes(0.32 * size, ground);
      if (!machine.base_joints) {
        this.drawn = [];
        this.setLines(machine.lines);
        return;
      }
      const { base_joints: base, platform_joints: platform } = machine;
      const frame = (this.platform = { ...ground });
      drawing.add({ mesh: createPlate(base, 0.02 * size), style: style.base });
      drawing.add({ mesh: createPlate(platform, 0.04 * size), style: style.platform, frame });
      this._addAxes(0.22 * size, frame);
      const ball = PkmDrawing.createSphere(0.034 * size);
      const hinge = createCylinder(0.015 * size, 0.14 * size, 12);
      const outer = createCylinder(0.028 * size, 1, 20);
      const rod = createCylinder(0.014 * size, 1, 14);
      const middle = mean(base);
      this.struts = base.map((from, i) => {
        for (const [place, kind, frame] of [
          [from, machine.base_joint, ground],
          [platform[i], machine.platform_joint, this.platform],
        ]) {
          drawing.add({ mesh: ball, style: style.joint, frame, matrix: alongMatrix([0, 0, 1], place) });
          if (kind !== "universal") continue;
          const axis = unit(machine.first_axes[i]);
          drawing.add({ mesh: hinge, style: style.joint, frame, matrix: alongMatrix(axis, place) });
        }
        const [x, y] = subtract(from, middle);
        const aside = add(scale(unit([x, y, 0]), 0.12 * size), [0, 0, 0.08 * size]);
        drawing.addLabel(String(i + 1), add(from, aside), 0.15 * size);
        const bodies = { outer: drawing.add({ mesh: outer, style: style.outer }), rod: drawing.add({ mesh: rod, style: style.rod }) };
        return { from, to: platform[i], ...bodies };
      });
    }

    _place(strut) {
      const span = subtract(PkmDrawing.transform(this.platform.matrix, strut.to), strut.from);
      const length = norm(span);
      const along = unit(span);
      const outer = OUTER * this.machine.length_limits[0];
      const bare = length - outer / 2; // of the rod: its end stays inside body B
      for (const [body, size, middle] of [
        [strut.outer, outer, outer / 2],
        [strut.rod, bare, length - bare / 2],
      ]) {
        body.matrix = alongMatrix(along, add(strut.from, scale(along, middle)), size);
      }
      return length;
    }

    _addAxes(length, frame) {
      AXES.forEach((color, i) => {
        const tip = [0, 0, 0];
        tip[i] = length;
        this.drawing.add({ mesh: createLines([[0, 0, 0], tip]), style: { color }, frame });
        this.drawing.addLabel("xyz"[i], scale(tip, 1.14), 0.1 * this.size, frame);
      });
    }

    _addGrid() {
      const step = 10 ** Math.round(Math.log10(this.size / 3));
      const reach = step * Math.ceil((1.1 * this.size) / step);
      const points = [];
      for (let at = -reach; at <= reach + step / 2; at += step) {
        for (const [a, b] of [
          [[at, -reach], [at, reach]],
          [[-reach, at], [reach, at]],
        ]) {
          points.push([...a, this.floor], [...b, this.floor]);
        }
      }
      this.drawing.add({ mesh: createLines(points), style: this.style.grid });
    }

    _key(event) {
      const turns = { ArrowLeft: [TURN, 0], ArrowRight: [-TURN, 0], ArrowUp: [0, -TURN], ArrowDown: [0, TURN] };
      const turn = turns[event.key];
      if (!turn) return;
      event.preventDefault();
      this.drawing.camera.turn(...turn, KEY_MARGIN);
      this.redraw();
    }

    /** The first view: the whole machine and what it can reach, whatever the element's shape. */
    _look() {
      const half = (ANGLE / 2) * (Math.PI / 180);
      const narrow = Math.min(half, Math.atan(Math.tan(half) * this.drawing.camera.aspect));
      this.drawing.camera.lookFrom(FROM, (0.98 * this.size) / Math.sin(narrow));
      this.redraw();
    }

    _resize() {
      const { clientWidth: width, clientHeight: height } = this.element;
      if (!width || !height) return;
      const first = !this._width;
      const shape = this.drawing.camera.aspect;
      this._width = width;
      this.drawing.resize(width, height, Math.min(globalThis.devicePixelRatio || 1, 2));
      if (first || Math.abs(shape - this.drawing.camera.aspect) > 0.01) this._look();
      this.redraw();
    }
  }
  return PkmMachineView;
})();
