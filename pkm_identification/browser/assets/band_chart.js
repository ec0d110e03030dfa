/* A course with its band on a canvas: small in a table's row, or large with axes. */
"use strict";

globalThis.PkmBandChart = (() => {
  const SETTLED = 0.4; // of the course, at its beginning: its transient may run out of the picture
  const ROOM = { left: 66, right: 10, top: 8, bottom: 24 };
  const FONT = "12px system-ui, sans-serif";

  /** Steps of 1, 2 or 5 between about so many ticks. */
  function ticks(low, high, about) {
    const raw = (high - low) / about;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((k) => k * power >= raw);
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    const found = [];
    for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push([k * step, (k * step).toFixed(Math.min(digits, 12))]);
    return found;
  }

  /** What the picture reaches over: the settled part with its band, and the file's value if that is near. */
  function reach(course) {
    const from = Math.min(Math.floor(SETTLED * course.time.length), course.time.length - 1);
    let [low, high] = [Infinity, -Infinity];
    for (let k = from; k < course.time.length; k += 1) {
      low = Math.min(low, course.values[k] - 2 * course.std[k]);
      high = Math.max(high, course.values[k] + 2 * course.std[k]);
    }
    const span = high - low || Math.abs(high) || 1;
    if (course.nominal > low - 4 * span && course.nominal < high + 4 * span) {
      [low, high] = [Math.min(low, course.nominal), Math.max(high, course.nominal)];
    }
    const margin = 0.08 * (high - low || span);
    return [low - margin, high + margin];
  }

  /**
   * Draw `course`, {time: [s], values, std, nominal}, where the canvas is as large as its style says.
   * `colors` has curve, band, soft and line.
   */
  return function draw(canvas, course, colors, axes) {
    const scale = globalThis.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (!course || course.time.length < 2) return;
    const room = axes ? ROOM : { left: 0, right: 0, top: 1, bottom: 1 };
    const [begin, end] = [course.time[0], course.time[course.time.length - 1]];
    const [low, high] = reach(course);
    const x = (t) => room.left + ((t - begin) / (end - begin || 1)) * (width - room.left - room.right);
    const y = (v) => room.top + ((high - v) / (high - low)) * (height - room.top - room.bottom);
    if (axes) {
      pen.font = FONT;
      pen.fillStyle = colors.soft;
      pen.strokeStyle = colors.line;
      pen.lineWidth = 1;
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      for (const [v, text] of ticks(low, high, 5)) {
        pen.beginPath();
        pen.moveTo(room.left, y(v));
        pen.lineTo(width - room.right, y(v));
        pen.stroke();
        pen.fillText(text, room.left - 6, y(v));
      }
      pen.textAlign = "center";
      pen.textBaseline = "top";
      for (const [t, text] of ticks(0, end - begin || 1, 6)) {
        pen.fillText(`${text} s`, Math.min(Math.max(x(begin + t), room.left + 8), width - 18), height - room.bottom + 7);
      }
    }
    pen.save();
    pen.beginPath();
    pen.rect(room.left, room.top, width - room.left - room.right, height - room.top - room.bottom);
    pen.clip();
    pen.beginPath();
    course.time.forEach((t, k) => pen.lineTo(x(t), y(course.values[k] + 2 * course.std[k])));
    for (let k = course.time.length - 1; k >= 0; k -= 1) pen.lineTo(x(course.time[k]), y(course.values[k] - 2 * course.std[k]));
    pen.fillStyle = colors.band;
    pen.fill();
    pen.setLineDash(axes ? [6, 4] : [3, 3]);
    pen.lineWidth = 1;
    pen.strokeStyle = colors.soft;
    pen.beginPath();
    pen.moveTo(room.left, y(course.nominal));
    pen.lineTo(width - room.right, y(course.nominal));
    pen.stroke();
    pen.setLineDash([]);
    pen.lineWidth = axes ? 2 : 1.3;
    pen.strokeStyle = colors.curve;
    pen.beginPath();
    course.time.forEach((t, k) => pen.lineTo(x(t), y(course.values[k])));
    pen.stroke();
    pen.restore();
  };
})();
