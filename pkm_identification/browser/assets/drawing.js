/* Solids, lines and labels in WebGL 2, and a camera that goes around them: what machine_view.js shows, and no more. A
 * classic script without others.
 *
 *   const drawing = new PkmDrawing(canvas);
 *   const part = drawing.add({ mesh: PkmDrawing.createSphere(0.1), style: { color: 0x3b6fb5, lit: true } });
 *   drawing.draw();
 *
 * Vectors are [x, y, z], m; matrices 16 numbers, column by column. A part has a mesh, a style, its own matrix and a frame
 * {matrix} that it moves with. A style is {color, lit, opacity, bothSides, keepsDepth}. Nothing is drawn but by draw().
 */
"use strict";

globalThis.PkmDrawing = (() => {
  const VERTEX = `#version 300 es
    in vec3 place;
    in vec3 normal;
    uniform mat4 model, camera;
    out vec3 facing;
    out vec2 spot;
    void main() {
      gl_Position = camera * model * vec4(place, 1.0);
      facing = mat3(model) * normal;
      spot = place.xy + 0.5;
    }`;
  // Light from all around, brighter along y than against it, and a sun; colours are added up in linear light.
  const FRAGMENT = `#version 300 es
    precision highp float;
    const vec3 GROUND = vec3(0.275, 0.314, 0.381);
    const vec3 SUN = vec3(0.3714, -0.5571, 0.7428);
    in vec3 facing;
    in vec2 spot;
    uniform vec4 color;
    uniform bool lit, isLabel;
    uniform sampler2D label;
    out vec4 shown;
    void main() {
      if (isLabel) {
        shown = texture(label, spot);
        return;
      }
      vec3 light = color.rgb;
      if (lit) {
        vec3 n = normalize(gl_FrontFacing ? facing : -facing);
        vec3 around = 2.2 * mix(GROUND, vec3(1.0), 0.5 * n.y + 0.5);
        light *= (around + 1.6 * max(dot(n, SUN), 0.0)) / 3.14159265;
      }
      light = clamp(light, 0.0, 1.0);
      vec3 screen = mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
      shown = vec4(screen * color.a, color.a);
    }`;
  const LABEL_PIXELS = 64;
  const TURN_LIMIT = 1e-3; // rad from straight above or below: there left and right would change sides
  const CLOSER = 0.95; // distance that is left after a notch of the wheel
  const NOTCH = 100; // of `deltaY`
  const UNIT = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const scale = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const norm = (a) => Math.hypot(...a);
  const unit = (a) => scale(a, 1 / (norm(a) || 1));
  const mean = (points) => scale(points.reduce(add), 1 / points.length);

  /** The matrix whose columns are three directions and a place. */
  const frameOf = (x, y, z, place) => [...x, 0, ...y, 0, ...z, 0, ...place, 1];

  function multiply(a, b) {
    const product = [];
    for (let column = 0; column < 16; column += 4)
      for (let row = 0; row < 4; row += 1) {
        let sum = 0;
        for (let k = 0; k < 4; k += 1) sum += a[row + 4 * k] * b[column + k];
        product.push(sum);
      }
    return product;
  }

  /** Where a point of a frame is. */
  const transform = (m, p) => [0, 1, 2].map((row) => m[row] * p[0] + m[row + 4] * p[1] + m[row + 8] * p[2] + m[row + 12]);

  /** Frame of a body at a place, turned by a quaternion x, y, z, w. */
  function poseMatrix(place, quaternion) {
    const [x, y, z, w] = quaternion.map((one) => one / Math.hypot(...quaternion));
    return frameOf(
      [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
      [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
      [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
      place,
    );
  }

  /** Frame whose y points along a unit vector, stretched to a length: for cylinders. */
  function alongMatrix(direction, place, length = 1) {
    const side = unit(cross(direction, Math.abs(direction[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    return frameOf(side, scale(direction, length), cross(side, direction), place);
  }

  /** A mesh of triangles, three corners each, counterclockwise as seen from outside; normals are theirs if not given. */
  function createMesh(corners, normals = null) {
    if (!normals) {
      normals = [];
      for (let i = 0; i < corners.length; i += 3) {
        const [a, b, c] = corners.slice(i, i + 3);
        const normal = unit(cross(subtract(b, a), subtract(c, a)));
        normals.push(normal, normal, normal);
      }
    }
    return { places: new Float32Array(corners.flat()), normals: new Float32Array(normals.flat()) };
  }

  /** Lines between pairs of points. */
  function createLines(points) {
    return { places: new Float32Array(points.flat()), normals: new Float32Array(3 * points.length), isLines: true };
  }

  /** A surface from a function of two whole numbers that gives [place, normal]. */
  function createSurface(point, columns, rows) {
    const [corners, normals] = [[], []];
    for (let i = 0; i < columns; i += 1)
      for (let j = 0; j < rows; j += 1)
        for (const [u, v] of [[0, 0], [0, 1], [1, 1], [0, 0], [1, 1], [1, 0]]) {
          const [place, normal] = point(i + u, j + v);
          corners.push(place);
          normals.push(normal);
        }
    return [corners, normals];
  }

  function createSphere(radius, around = 20, down = 14) {
    const point = (i, j) => {
      const [turn, tilt] = [(2 * Math.PI * i) / around, (Math.PI * j) / down];
      const normal = [Math.sin(tilt) * Math.cos(turn), Math.sin(tilt) * Math.sin(turn), Math.cos(tilt)];
      return [scale(normal, radius), normal];
    };
    return createMesh(...createSurface(point, around, down));
  }

  /** A closed cylinder along y around the origin. */
  function createCylinder(radius, length, around) {
    const rim = (i, y) => {
      const turn = (2 * Math.PI * i) / around;
      return [radius * Math.sin(turn), y, radius * Math.cos(turn)];
    };
    const end = length / 2;
    const side = (i, j) => [rim(i, j ? -end : end), unit(rim(i, 0))];
    const [corners, normals] = createSurface(side, around, 1);
    for (let i = 0; i < around; i += 1) {
      corners.push([0, end, 0], rim(i, end), rim(i + 1, end), [0, -end, 0], rim(i + 1, -end), rim(i, -end));
      normals.push(...Array(3).fill([0, 1, 0]), ...Array(3).fill([0, -1, 0]));
    }
    return createMesh(corners, normals);
  }

  /** Red, green and blue of 0xrrggbb in linear light. */
  function toLinear(color) {
    return [16, 8, 0].map((shift) => {
      const part = ((color >> shift) & 255) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
  }

  /** A camera that looks at `middle` from `distance`, `azimuth` about z and `polar` from z, rad; z is up. */
  class Camera {
    constructor(angle) {
      this.tangent = Math.tan(angle / 2);
      Object.assign(this, { middle: [0, 0, 0], distance: 1, azimuth: 0, polar: 1, aspect: 1, near: 0.01, far: 100 });
    }

    get away() {
      const [flat, up] = [Math.sin(this.polar), Math.cos(this.polar)];
      return [flat * Math.cos(this.azimuth), flat * Math.sin(this.azimuth), up];
    }

    get place() {
      return add(this.middle, scale(this.away, this.distance));
    }

    lookFrom(direction, distance) {
      const [x, y, z] = unit(direction);
      Object.assign(this, { distance, azimuth: Math.atan2(y, x), polar: Math.acos(z) });
      [this.near, this.far] = [distance / 50, 10 * distance];
    }

    turn(azimuth, polar, margin = TURN_LIMIT) {
      this.azimuth += azimuth;
      this.polar = Math.min(Math.max(this.polar + polar, margin), Math.PI - margin);
    }

    approach(factor) {
      this.distance = Math.min(Math.max(this.distance * factor, 3 * this.near), this.far / 3);
    }

    /** Directions to the right, up and towards the camera. */
    axes() {
      const back = this.away;
      const right = unit(cross([0, 0, 1], back));
      return [right, cross(back, right), back];
    }

    matrix() {
      const axes = this.axes();
      const at = this.place;
      const view = [...[0, 1, 2].flatMap((k) => [...axes.map((axis) => axis[k]), 0]), ...axes.map((axis) => -dot(axis, at)), 1];
      const [depth, focal] = [this.near - this.far, 1 / this.tangent];
      const lens = [focal / this.aspect, 0, 0, 0, 0, focal, 0, 0, 0, 0, (this.far + this.near) / depth, -1];
      return multiply([...lens, 0, 0, (2 * this.far * this.near) / depth, 0], view);
    }
  }

  class PkmDrawing {
    constructor(canvas, angle) {
      this.canvas = canvas;
      this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
      this.camera = new Camera(angle);
      this.parts = [];
      this.labels = [];
      this.onChange = () => {};
      this._uploaded = new Map();
      this._listening = new AbortController();
      this._listen("webglcontextlost", (event) => {
        event.preventDefault(); // so that it comes back
        this._uploaded.clear();
        this._program = null;
      });
      this._listen("webglcontextrestored", () => this.onChange());
      this._control();
    }

    /** Add {mesh, style, matrix, frame}; the part is returned, its matrix may be changed. */
    add(part) {
      const whole = { matrix: UNIT, frame: { matrix: UNIT }, ...part };
      this.parts.push(whole);
      return whole;
    }

    remove(part) {
      const there = this._uploaded.get(part.mesh);
      this._uploaded.delete(part.mesh);
      this.parts = this.parts.filter((one) => one !== part);
      if (!there) return;
      this.gl.deleteVertexArray(there.array);
      for (const buffer of there.buffers) this.gl.deleteBuffer(buffer);
    }

    /** A word at a place of a frame, of some height in m; it is written by writeLabels. */
    addLabel(text, place, height, frame = { matrix: UNIT }) {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = LABEL_PIXELS;
      this.labels.push({ text, place, height, frame, canvas });
    }

    writeLabels(color) {
      for (const { canvas, text } of this.labels) {
        const pen = canvas.getContext("2d");
        pen.clearRect(0, 0, LABEL_PIXELS, LABEL_PIXELS);
        pen.font = "600 46px system-ui, sans-serif";
        [pen.textAlign, pen.textBaseline, pen.fillStyle] = ["center", "middle", color];
        pen.fillText(text, LABEL_PIXELS / 2, LABEL_PIXELS / 2 + 2);
        this.gl.deleteTexture(this._uploaded.get(canvas) ?? null);
        this._uploaded.delete(canvas);
      }
    }

    resize(width, height, ratio) {
      [this.canvas.width, this.canvas.height] = [Math.floor(width * ratio), Math.floor(height * ratio)];
      [this.canvas.style.width, this.canvas.style.height] = [`${width}px`, `${height}px`];
      this.camera.aspect = width / height;
    }

    /** Solids and lines, then what one sees through from far to near, then labels over all of it. */
    draw() {
      const { gl } = this;
      if (gl.isContextLost()) return;
      this._program ??= this._link();
      gl.useProgram(this._program);
      gl.viewport(0, 0, this.canvas.width, this.canvas.height);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(true);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix4fv(this._at("camera"), false, this.camera.matrix());
      gl.uniform1i(this._at("isLabel"), 0);
      gl.enable(gl.DEPTH_TEST);
      gl.enable(gl.CULL_FACE);
      const isClear = (part) => (part.style.opacity ?? 1) < 1;
      for (const part of this.parts.filter((one) => !isClear(one))) this._drawPart(part, [gl.BACK]);
      const depth = (part) => dot(this.camera.away, multiply(part.frame.matrix, part.matrix).slice(12, 15));
      const clear = this.parts.filter(isClear).sort((a, b) => depth(a) - depth(b));
      for (const part of clear) this._drawPart(part, part.style.bothSides ? [gl.FRONT, gl.BACK] : [gl.BACK]);
      gl.disable(gl.DEPTH_TEST);
      gl.uniform1i(this._at("isLabel"), 1);
      for (const label of this.labels) this._drawLabel(label);
    }

    dispose() {
      this._listening.abort();
      this.gl.getExtension("WEBGL_lose_context")?.loseContext();
      this.canvas.remove();
    }

    _drawPart(part, hiddenSides) {
      const { gl } = this;
      const { mesh, style } = part;
      gl.bindVertexArray(this._upload(mesh).array);
      gl.uniformMatrix4fv(this._at("model"), false, multiply(part.frame.matrix, part.matrix));
      gl.uniform4f(this._at("color"), ...toLinear(style.color), style.opacity ?? 1);
      gl.uniform1i(this._at("lit"), style.lit ? 1 : 0);
      gl.depthMask(style.keepsDepth ?? true);
      for (const side of hiddenSides) {
        gl.cullFace(side);
        gl.drawArrays(mesh.isLines ? gl.LINES : gl.TRIANGLES, 0, mesh.places.length / 3);
      }
    }

    _drawLabel(label) {
      const { gl } = this;
      const [right, up, back] = this.camera.axes();
      const place = transform(label.frame.matrix, label.place);
      gl.bindVertexArray(this._upload(SQUARE).array);
      gl.bindTexture(gl.TEXTURE_2D, this._uploadLabel(label.canvas));
      gl.uniformMatrix4fv(this._at("model"), false, frameOf(scale(right, label.height), scale(up, label.height), back, place));
      gl.drawArrays(gl.TRIANGLES, 0, 6);
    }

    _upload(mesh) {
      if (this._uploaded.has(mesh)) return this._uploaded.get(mesh);
      const { gl } = this;
      const there = { array: gl.createVertexArray(), buffers: [] };
      gl.bindVertexArray(there.array);
      [mesh.places, mesh.normals].forEach((numbers, location) => {
        const buffer = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 0, 0);
        there.buffers.push(buffer);
      });
      this._uploaded.set(mesh, there);
      return there;
    }

    _uploadLabel(canvas) {
      if (this._uploaded.has(canvas)) return this._uploaded.get(canvas);
      const { gl } = this;
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, true);
      gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, canvas);
      gl.generateMipmap(gl.TEXTURE_2D);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
      this._uploaded.set(canvas, texture);
      return texture;
    }

    _link() {
      const { gl } = this;
      const program = gl.createProgram();
      for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
      }
      ["place", "normal"].forEach((name, location) => gl.bindAttribLocation(program, location, name));
      gl.linkProgram(program);
      if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
      this._places = new Map();
      return program;
    }

    /** Where a uniform of the program is. */
    _at(name) {
      if (!this._places.has(name)) this._places.set(name, this.gl.getUniformLocation(this._program, name));
      return this._places.get(name);
    }

    _listen(name, listener, options = {}) {
      this.canvas.addEventListener(name, listener, { ...options, signal: this._listening.signal });
    }

    /** Dragging turns, two fingers and Ctrl with the wheel come closer. */
    _control() {
      const { canvas, camera } = this;
      const fingers = new Map();
      const apart = () => {
        const [a, b] = [...fingers.values()];
        return Math.hypot(a[0] - b[0], a[1] - b[1]);
      };
      canvas.style.touchAction = "pan-y"; // a finger still scrolls the page
      this._listen("pointerdown", (event) => {
        if (event.button !== 0) return;
        canvas.setPointerCapture(event.pointerId);
        fingers.set(event.pointerId, [event.clientX, event.clientY]);
      });
      for (const end of ["pointerup", "pointercancel"]) this._listen(end, (event) => fingers.delete(event.pointerId));
      this._listen("pointermove", (event) => {
        const before = fingers.get(event.pointerId);
        if (!before) return;
        const distance = fingers.size === 2 ? apart() : 0;
        fingers.set(event.pointerId, [event.clientX, event.clientY]);
        const angle = (2 * Math.PI) / canvas.clientHeight;
        if (distance) camera.approach(distance / Math.max(apart(), 1));
        else camera.turn(-angle * (event.clientX - before[0]), -angle * (event.clientY - before[1]));
        this.onChange();
      });
      const zoom = (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        // a pinch on a touchpad comes as a wheel with Ctrl, in steps of a few units
        const notches = Math.abs(event.deltaY) < NOTCH / 4 ? event.deltaY / (NOTCH / 10) : event.deltaY / NOTCH;
        camera.approach(CLOSER ** -notches);
        this.onChange();
      };
      this._listen("wheel", zoom, { passive: false });
    }
  }

  const SQUARE = createMesh(
    [[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]],
  );
  return Object.assign(PkmDrawing, {
    ...{ add, subtract, scale, dot, cross, norm, unit, mean },
    ...{ transform, poseMatrix, alongMatrix, createMesh, createLines, createSphere, createCylinder },
  });
})();
