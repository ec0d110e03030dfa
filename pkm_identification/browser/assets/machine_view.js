/* The machine in 3D: base, platform, struts with their two bodies, joints, frames. A classic script for pages that are
 * opened from a file or served; three.min.js comes before it.
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
  const OUTER = 0.72; // length of body B as a part of the shortest strut
  const UP = new THREE.Vector3(0, 1, 0); // along a cylinder of three.js

  const vector = (xyz) => new THREE.Vector3(xyz[0], xyz[1], xyz[2]);

  /** A closed plate through points in their order around their middle, of some thickness, as [positions]. */
  function plate(points, thickness) {
    const middle = points.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(points.length);
    const [first, second] = [points[0].clone().sub(middle), new THREE.Vector3()];
    const normal = new THREE.Vector3();
    for (const p of points) {
      second.copy(p).sub(middle);
      const cross = first.clone().cross(second);
      if (cross.length() > normal.length()) normal.copy(cross);
    }
    normal.normalize();
    const across = normal.clone().cross(first);
    const angle = (p) => {
      const d = p.clone().sub(middle);
      return Math.atan2(d.dot(across) / across.length(), d.dot(first) / first.length());
    };
    const ring = [...points].sort((a, b) => angle(a) - angle(b));
    const half = normal.clone().multiplyScalar(thickness / 2);
    const [above, below] = [ring.map((p) => p.clone().add(half)), ring.map((p) => p.clone().sub(half))];
    const [top, bottom] = [middle.clone().add(half), middle.clone().sub(half)];
    const corners = [];
    ring.forEach((_, i) => {
      const j = (i + 1) % ring.length;
      corners.push(top, above[i], above[j], bottom, below[j], below[i]);
      corners.push(above[i], below[i], below[j], above[i], below[j], above[j]);
    });
    const geometry = new THREE.BufferGeometry();
    const numbers = new Float32Array(corners.flatMap((c) => [c.x, c.y, c.z]));
    geometry.setAttribute("position", new THREE.BufferAttribute(numbers, 3));
    geometry.computeVertexNormals();
    return geometry;
  }

  function lines(points, color) {
    const geometry = new THREE.BufferGeometry().setFromPoints(points);
    return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color }));
  }

  function hasWebGL() {
    try {
      return Boolean(document.createElement("canvas").getContext("webgl2"));
    } catch {
      return false;
    }
  }

  class PkmMachineView {
    /** Draws into an element, whose size it follows; `options.theme` is "light" or "dark". */
    constructor(element, machine, options = {}) {
      this.frames = 0; // pictures drawn so far
      this.element = element;
      this.machine = machine;
      this.available = hasWebGL();
      if (!this.available) {
        element.textContent = "No picture in 3D: this browser has no WebGL.";
        return;
      }
      this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
      this.renderer.setPixelRatio(Math.min(globalThis.devicePixelRatio || 1, 2));
      const canvas = this.renderer.domElement;
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${machine.name} in 3D; arrow keys turn it`);
      canvas.tabIndex = 0;
      canvas.style.display = "block";
      element.append(canvas);
      this.scene = new THREE.Scene();
      this.camera = new THREE.PerspectiveCamera(ANGLE, 1, 0.01, 100);
      this.camera.up.set(0, 0, 1);
      this._materials();
      this._lights();
      this._measure();
      this._build();
      this._control(canvas);
      this.setTheme(options.theme || "light");
      if (machine.home) this.setPose(machine.home);
      this._observer = new ResizeObserver(() => this._resize());
      this._observer.observe(element);
      this._resize();
    }

    /** Platform at a pose: position in m and quaternion x, y, z, w, from platform to base axes. */
    setPose(pose) {
      if (!this.available || !this.platform) return;
      this.platform.position.set(pose[0], pose[1], pose[2]);
      this.platform.quaternion.set(pose[3], pose[4], pose[5], pose[6]).normalize();
      this.lengths = this.struts.map((strut) => this._place(strut));
      this.redraw();
    }

    setTheme(theme) {
      if (!this.available) return;
      const palette = PALETTES[theme];
      for (const [name, material] of Object.entries(this.material)) material.color.setHex(palette[name]);
      for (const label of this.labels) this._write(label, palette.text);
      this.redraw();
    }

    /** The picture as it is now, a PNG as a data URL: for printing, and for tests. */
    picture() {
      if (!this.available) return "";
      this._draw();
      return this.renderer.domElement.toDataURL("image/png");
    }

    redraw() {
      if (this.available && !this._waiting) this._waiting = requestAnimationFrame(() => this._draw());
    }

    dispose() {
      if (!this.available) return;
      cancelAnimationFrame(this._waiting);
      this._observer.disconnect();
      this.controls.dispose();
      this.scene.traverse((part) => {
        part.geometry?.dispose();
        part.material?.map?.dispose();
        part.material?.dispose();
      });
      this.renderer.dispose();
      this.renderer.domElement.remove();
      this.available = false;
    }

    _draw() {
      this._waiting = 0;
      this.renderer.render(this.scene, this.camera);
      this.frames += 1;
    }

    _materials() {
      const solid = (more) => new THREE.MeshLambertMaterial({ ...more });
      this.material = {
        base: solid({ transparent: true, opacity: 0.55, side: THREE.DoubleSide, depthWrite: false }),
        platform: solid({ transparent: true, opacity: 0.85, side: THREE.DoubleSide }),
        outer: solid(),
        rod: solid(),
        joint: solid(),
        grid: new THREE.LineBasicMaterial(),
        line: new THREE.LineBasicMaterial(),
      };
    }

    _lights() {
      this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8f98a6, 2.2));
      const sun = new THREE.DirectionalLight(0xffffff, 1.6);
      sun.position.set(2, -3, 4);
      this.scene.add(sun);
    }

    /** Middle and size of the machine at home, from which everything else takes its size. */
    _measure() {
      if (!this.machine.base_joints) return this._measureLines();
      const { home, base_joints: base, platform_joints: platform } = this.machine;
      const turn = new THREE.Quaternion(home[3], home[4], home[5], home[6]).normalize();
      const there = platform.map((p) => vector(p).applyQuaternion(turn).add(vector(home)));
      const points = [...base.map(vector), ...there];
      const low = points.reduce((a, p) => a.min(p), points[0].clone());
      const high = points.reduce((a, p) => a.max(p), points[0].clone());
      this.middle = low.clone().add(high).multiplyScalar(0.5);
      this.size = Math.max(...points.map((p) => p.distanceTo(this.middle)));
      this.floor = low.z - 0.2 * this.size;
    }

    /** The same of a machine that is drawn by its lines. */
    _measureLines() {
      const points = this.machine.lines.flatMap((body) => body.points.map(vector));
      const low = points.reduce((a, p) => a.min(p), points[0].clone());
      const high = points.reduce((a, p) => a.max(p), points[0].clone());
      this.middle = low.clone().add(high).multiplyScalar(0.5);
      this.size = Math.max(...points.map((p) => p.distanceTo(this.middle)));
      this.floor = low.z - 0.2 * this.size;
    }

    /** Bodies as lines between their joints: [{name, points: ends one after the other, m}]. */
    setLines(bodies) {
      if (!this.available || !this.drawn) return;
      for (const part of this.drawn.children) part.geometry.dispose();
      this.drawn.clear();
      for (const body of bodies) {
        const geometry = new THREE.BufferGeometry().setFromPoints(body.points.map(vector));
        this.drawn.add(new THREE.LineSegments(geometry, body.name === "base" ? this.material.grid : this.material.line));
      }
      this.redraw();
    }

    _build() {
      if (!this.machine.base_joints) {
        this.labels = [];
        this.drawn = new THREE.Group();
        this.scene.add(this.drawn, this._grid(), this._frame(0.32 * this.size));
        this.setLines(this.machine.lines);
        return;
      }
      const { machine, size } = this;
      const [base, platform] = [machine.base_joints.map(vector), machine.platform_joints.map(vector)];
      this.labels = [];
      this.platform = new THREE.Group();
      this.scene.add(this.platform, this._grid());
      this.scene.add(new THREE.Mesh(plate(base, 0.02 * size), this.material.base));
      this.platform.add(new THREE.Mesh(plate(platform, 0.04 * size), this.material.platform));
      this.scene.add(this._frame(0.32 * size));
      this.platform.add(this._frame(0.22 * size));
      const ball = new THREE.SphereGeometry(0.034 * size, 20, 14);
      const hinge = new THREE.CylinderGeometry(0.015 * size, 0.015 * size, 0.14 * size, 12);
      const outer = new THREE.CylinderGeometry(0.028 * size, 0.028 * size, 1, 20);
      const rod = new THREE.CylinderGeometry(0.014 * size, 0.014 * size, 1, 14);
      const middle = base.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(base.length);
      this.struts = base.map((from, i) => {
        const strut = { from, to: platform[i], outer: new THREE.Mesh(outer, this.material.outer) };
        strut.rod = new THREE.Mesh(rod, this.material.rod);
        this.scene.add(strut.outer, strut.rod);
        for (const [parent, place, kind] of [
          [this.scene, from, machine.base_joint],
          [this.platform, platform[i], machine.platform_joint],
        ]) {
          const joint = new THREE.Mesh(ball, this.material.joint);
          joint.position.copy(place);
          parent.add(joint);
          if (kind !== "universal") continue;
          const axis = new THREE.Mesh(hinge, this.material.joint);
          axis.position.copy(place);
          axis.quaternion.setFromUnitVectors(UP, vector(machine.first_axes[i]).normalize());
          parent.add(axis);
        }
        const aside = from.clone().sub(middle).setZ(0).normalize().multiplyScalar(0.12 * size).setZ(0.08 * size);
        this._label(String(i + 1), from.clone().add(aside), 0.15 * size, this.scene);
        return strut;
      });
    }

    _place(strut) {
      const end = strut.to.clone();
      this.platform.updateMatrix();
      end.applyMatrix4(this.platform.matrix);
      const along = end.clone().sub(strut.from);
      const length = along.length();
      along.divideScalar(length);
      const outer = OUTER * this.machine.length_limits[0];
      const bare = length - outer / 2; // of the rod: its end stays inside body B
      for (const [body, size, middle] of [
        [strut.outer, outer, outer / 2],
        [strut.rod, bare, length - bare / 2],
      ]) {
        body.scale.set(1, size, 1);
        body.position.copy(strut.from).addScaledVector(along, middle);
        body.quaternion.setFromUnitVectors(UP, along);
      }
      return length;
    }

    _frame(length) {
      const frame = new THREE.Group();
      AXES.forEach((color, i) => {
        const tip = new THREE.Vector3().setComponent(i, length);
        frame.add(lines([new THREE.Vector3(), tip], color));
        this._label("xyz"[i], tip.multiplyScalar(1.14), 0.1 * this.size, frame);
      });
      return frame;
    }

    _grid() {
      const step = 10 ** Math.round(Math.log10(this.size / 3));
      const reach = step * Math.ceil((1.1 * this.size) / step);
      const points = [];
      for (let at = -reach; at <= reach + step / 2; at += step) {
        for (const [a, b] of [
          [[at, -reach], [at, reach]],
          [[-reach, at], [reach, at]],
        ]) {
          points.push(new THREE.Vector3(a[0], a[1], this.floor), new THREE.Vector3(b[0], b[1], this.floor));
        }
      }
      return new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), this.material.grid);
    }

    _label(text, place, height, parent) {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 64;
      const map = new THREE.CanvasTexture(canvas);
      map.colorSpace = THREE.SRGBColorSpace;
      const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map, depthTest: false, transparent: true }));
      sprite.position.copy(place);
      sprite.scale.set(height, height, 1);
      this.labels.push({ text, canvas, map });
      parent.add(sprite);
    }

    _write(label, color) {
      const pen = label.canvas.getContext("2d");
      pen.clearRect(0, 0, 64, 64);
      pen.font = "600 46px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillStyle = color;
      pen.fillText(label.text, 32, 34);
      label.map.needsUpdate = true;
    }

    _control(canvas) {
      this.controls = new THREE.OrbitControls(this.camera, canvas);
      this.controls.enablePan = false;
      this.controls.target.copy(this.middle);
      this.controls.addEventListener("change", () => this.redraw());
      canvas.style.touchAction = "pan-y"; // a finger still scrolls the page
      canvas.addEventListener("wheel", (event) => (this.controls.enableZoom = event.ctrlKey), { capture: true });
      canvas.addEventListener("dblclick", () => this._look());
      canvas.addEventListener("keydown", (event) => this._key(event));
    }

    _key(event) {
      const turns = { ArrowLeft: [TURN, 0], ArrowRight: [-TURN, 0], ArrowUp: [0, -TURN], ArrowDown: [0, TURN] };
      const turn = turns[event.key];
      if (!turn) return;
      event.preventDefault();
      const away = this.camera.position.clone().sub(this.middle);
      const polar = away.angleTo(this.camera.up) + turn[1];
      away.applyAxisAngle(this.camera.up, turn[0]);
      if (polar > 0.1 && polar < Math.PI - 0.1) {
        away.applyAxisAngle(this.camera.up.clone().cross(away).normalize(), turn[1]);
      }
      this.camera.position.copy(this.middle).add(away);
      this.controls.update();
    }

    /** The first view: the whole machine and what it can reach, whatever the element's shape. */
    _look() {
      const half = (ANGLE / 2) * (Math.PI / 180);
      const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
      const distance = (0.98 * this.size) / Math.sin(narrow);
      this.camera.position.copy(this.middle).addScaledVector(vector(FROM).normalize(), distance);
      this.camera.near = distance / 50;
      this.camera.far = distance * 10;
      this.camera.updateProjectionMatrix();
      this.controls.update();
      this.redraw();
    }

    _resize() {
      const { clientWidth: width, clientHeight: height } = this.element;
      if (!width || !height) return;
      const first = !this._width;
      const shape = this.camera.aspect;
      [this._width, this.camera.aspect] = [width, width / height];
      this.renderer.setSize(width, height);
      this.camera.updateProjectionMatrix();
      if (first || Math.abs(shape - this.camera.aspect) > 0.01) this._look();
      this.redraw();
    }
  }
  return PkmMachineView;
})();
