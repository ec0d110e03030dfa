// The machine in 3D at the instant of the log that the slider is at.
(() => {
  const { machine, time, frames } = JSON.parse(document.getElementById("motion-data").textContent);
  const [slider, button, shown] = ["instant", "play", "time"].map((name) => document.getElementById(name));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => (dark.matches ? "dark" : "light");
  document.getElementById("motion").hidden = false;
  const view = new PkmMachineView(document.getElementById("machine-view"), machine, { theme: theme() });
  if (!view.available) {
    slider.parentElement.hidden = true;
    return;
  }
  slider.max = frames.length - 1;
  // the ends of all lines, body after body, or the pose of a platform
  const place = (frame) => {
    if (!machine.lines) return view.setPose(frame);
    let at = 0;
    view.setLines(machine.lines.map(({ name, points }) => ({ name, points: frame.slice(at, (at += points.length)) })));
  };
  const show = (row) => {
    slider.value = row;
    const text = `${time[row].toFixed(2)} s`;
    slider.setAttribute("aria-valuetext", text);
    shown.textContent = `${text} of ${time.at(-1).toFixed(2)} s`;
    place(frames[row]);
  };
  let playing = 0;
  const stop = () => {
    cancelAnimationFrame(playing);
    playing = 0;
    button.textContent = "Play";
  };
  const play = () => {
    const first = Number(slider.value) >= frames.length - 1 ? 0 : Number(slider.value);
    let [row, began] = [first, null];
    button.textContent = "Stop";
    const step = (now) => {
      began ??= now;
      while (row < frames.length - 1 && time[row + 1] - time[first] <= (now - began) / 1000) row += 1;
      show(row);
      if (row < frames.length - 1) playing = requestAnimationFrame(step);
      else stop();
    };
    playing = requestAnimationFrame(step);
  };
  button.addEventListener("click", () => (playing ? stop() : play()));
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  dark.addEventListener("change", () => view.setTheme(theme()));
  show(0);
  globalThis.machineView = view;
})();
