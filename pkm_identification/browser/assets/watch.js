/* The live page of `pkm watch`: what comes over the stream is kept, the newest of it is drawn, once for each picture. */
"use strict";

(() => {
  const RETRY = 1000; // ms before the connection is tried again
  const SILENT = 2.5; // s without a diagnostic message, of one a second
  const MOST = 800; // points of a course; halved when they are reached
  const CHART_PERIOD = 250; // ms between two drawings of the courses
  const PIPELINE = ["strut_filter", "kinematics", "estimator"]; // without one of these there is no estimate
  const NODES = ["strut_filter", "kinematics", "estimator", "controller", "simulator", "player", "recorder"];
  const STATUS = {
    identified: "ok", known: "ok", "known, mostly from the file": "ok", "rests on the file": "warning",
    combination: "warning", "contradicts the file": "error", "affected by the misfit": "error", affected: "error",
  };
  const NOT_SHOWN = ["combination", "from the file", "not identifiable"]; // their values are no more than the file's
  const RANK = { ok: 0, stale: 1, warning: 1, error: 2 };
  const WORDS = { ok: "OK", stale: "Stale", warning: "Warning", error: "Error" };
  const at = (id) => document.getElementById(id);
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const NOTHING = { silent: {}, nodes: {}, course: null, estimate: null, payload: null, pose: null, no_machine: "" };
  const state = { connected: false, tried: false, received: 0, ...NOTHING };
  const page = { view: null, rows: new Map(), chosen: "", drawn: 0, dirty: true, charted: 0, lastPose: null };
  globalThis.pkmWatch = { state, page }; // for tests and for the browser's console

  /* The stream */

  function connect() {
    const token = location.hash.slice(1);
    const query = token ? `?token=${encodeURIComponent(token)}` : "";
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/stream${query}`);
    state.socket = socket;
    socket.onopen = () => {
      Object.assign(state, { connected: true, tried: true });
      redraw();
    };
    socket.onmessage = (event) => take(JSON.parse(event.data));
    socket.onclose = () => {
      Object.assign(state, { connected: false, tried: true });
      redraw();
      setTimeout(connect, RETRY);
    };
  }

  function take(message) {
    state.received += 1;
    // a connection begins with all there is: what an earlier one brought may be of nodes that this one never heard
    if ("course" in message) Object.assign(state, { ...NOTHING, course: message.course });
    if ("machine" in message) showMachine(message.machine);
    if ("answer" in message) showAnswer(message.answer);
    for (const name of ["estimate", "payload", "nodes", "silent", "no_machine", "pose"]) {
      if (name in message) state[name] = message[name];
    }
    if (message.silent) state.heardAt = performance.now();
    if (message.estimate) addToCourse(message.estimate);
    redraw();
  }

  function addToCourse(estimate) {
    let course = state.course;
    if (!course || course.run !== estimate.run || course.names.join() !== estimate.names.join()) {
      course = state.course = { run: estimate.run, names: estimate.names, time: [], values: [], std: [] };
    }
    if (course.time.length && estimate.time <= course.time[course.time.length - 1]) return;
    course.time.push(estimate.time);
    course.values.push(estimate.values);
    course.std.push(estimate.std);
    if (course.time.length < MOST) return;
    for (const name of ["time", "values", "std"]) course[name] = course[name].filter((_, k) => k % 2 === 0);
  }

  /* Numbers for people */

  /** A number with as many decimals as its standard deviation has to two digits. */
  function rounded(value, std) {
    const size = Math.max(Math.abs(value), std);
    if (!(size > 0)) return "0";
    if (size >= 1e6 || size < 1e-5) return value.toExponential(3);
    const decimals = std > 0 ? 1 - Math.floor(Math.log10(std)) : 6;
    return value.toFixed(Math.min(Math.max(decimals, 0), 9));
  }

  const plain = (value) => String(Number(value.toPrecision(5)));

  /* Drawing */

  function redraw() {
    page.dirty = true;
    if (!page.waiting) page.waiting = requestAnimationFrame(draw);
  }

  function draw(now) {
    page.waiting = 0;
    if (page.view && state.pose && state.pose !== page.lastPose) {
      page.lastPose = state.pose;
      page.view.setPose(state.pose);
    }
    if (state.lines && state.machine && !state.machine.base_joints && state.lines !== page.lastLines) {
      page.lastLines = state.lines;
      if (page.view) page.view.setLines(state.lines);
      else if (state.lines.some((body) => body.points.length)) showMachine({ ...state.machine, lines: state.lines });
    }
    if (now - page.charted < CHART_PERIOD) {
      clearTimeout(page.later);
      page.later = setTimeout(redraw, CHART_PERIOD);
      return;
    }
    page.charted = now;
    page.drawn += 1;
    showVerdict();
    showFigures();
    showParameters();
    showDiagnostics();
    showCharts();
  }

  function put(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function showMachine(machine) {
    state.machine = machine;
    page.view?.dispose();
    at("machine").replaceChildren();
    page.view = null;
    if (!machine.base_joints && !machine.lines) return; // until its lines come
    page.view = new PkmMachineView(at("machine"), machine, { theme: dark.matches ? "dark" : "light" });
    page.lastPose = null;
  }

  /** How long a node has not been heard, in s; null if it never was. */
  function silence(node) {
    if (!(node in state.silent)) return null;
    return state.silent[node] + (performance.now() - (state.heardAt || 0)) / 1000;
  }

  /** Level, word and sentence about all of it, and what the estimator says of its estimate. */
  function verdict() {
    if (!state.connected && !state.tried) return ["waiting", "Connecting", "to pkm watch", ""];
    if (!state.connected) {
      const why = "pkm watch has ended, or this address lacks its token (#TOKEN at its end). Trying again.";
      return ["error", "No connection", why, ""];
    }
    if (silence("estimator") === null) return ["waiting", "Waiting", "for an estimator node; none was heard yet", ""];
    const tasks = NODES.flatMap((node) => (state.nodes[node] || []).map((task) => ({ ...task, node })));
    const summary = tasks.find((task) => task.node === "estimator" && task.task === "estimate")?.message || "";
    const gone = PIPELINE.filter((node) => silence(node) > SILENT);
    if (gone.length) {
      const said = gone.map((node) => `${node} for ${Math.round(silence(node))} s`);
      return ["error", "Silent", `nothing from ${said.join(", ")}`, `Last: ${summary}`];
    }
    const there = tasks.filter((task) => !(silence(task.node) > SILENT));
    const worst = there.reduce((a, b) => (RANK[b.level] > RANK[a.level] ? b : a), { level: "ok" });
    if (RANK[worst.level] > 0) {
      const said = `${worst.node}: ${worst.message}`;
      return [worst.level === "stale" ? "warning" : worst.level, WORDS[worst.level], said, summary === worst.message ? "" : summary];
    }
    return state.estimate ? ["ok", "OK", summary, ""] : ["waiting", "No estimate", summary, ""];
  }

  function showVerdict() {
    const [level, word, sentence, summary] = verdict();
    at("verdict").className = `verdict ${level}`;
    put(at("word"), word);
    put(at("sentence"), sentence);
    put(at("summary"), summary);
    const { machine, estimate } = state;
    const name = machine?.name || estimate?.machine || "pkm watch";
    put(at("name"), name);
    put(at("about"), estimate ? `${estimate.estimator}, ${estimate.model} model` : "no estimate yet");
    document.title = `${word}: ${name}`;
    const there = state.connected && silence("estimator") !== null && silence("estimator") <= SILENT;
    at("save").disabled = !there || !estimate;
    at("reset").disabled = !there;
    at("no_machine").hidden = !state.no_machine;
    put(at("no_machine"), state.no_machine || "");
  }

  /** A number of a node's diagnostics, of whichever task; null while there is none. */
  function figure(node, key) {
    for (const task of state.nodes[node] || []) {
      if (task.values[key]) return Number(task.values[key]);
    }
    return null;
  }

  function lost() {
    let sum = null;
    for (const node of PIPELINE) {
      const count = figure(node, "lost");
      if (count !== null) sum = (sum || 0) + count;
    }
    return sum;
  }

  function figures() {
    const { estimate, payload, course } = state;
    const rate = figure("strut_filter", "rate (Hz)");
    const missing = lost();
    const known = estimate ? estimate.status.filter((status) => status === "identified").length : 0;
    const usable = estimate ? estimate.status.filter((status) => STATUS[status] === "ok").length : 0;
    const fit = estimate?.fit;
    const ratio = fit && fit.judged ? `${fit.ratio.toPrecision(2)}` : "–";
    const fitText = !fit || !fit.judged ? "not assessed yet" : fit.lack ? "the model does not fit" : "the model fits";
    const since = course?.time.length ? course.time[course.time.length - 1] - course.time[0] : 0;
    let weight = ["–", "", "none announced"];
    if (payload) weight = payload.mass ? payloadFigure(payload) : ["0", "kg", "nothing carried"];
    const all = estimate ? estimate.names.length : 0;
    return [
      ["Identified", all ? `${known} of ${all}` : "–", "", all ? `parameters; ${usable} usable` : "no estimate yet", ""],
      ["Fit", ratio, fit?.judged ? "× noise" : "", fitText, fit?.judged ? (fit.lack ? "error" : "ok") : ""],
      ["Equations", estimate ? String(estimate.count) : "–", "", since ? `over ${since.toFixed(0)} s` : "", ""],
      ["Innovation (NIS)", estimate ? estimate.nis.toFixed(1) : "–", "", estimate ? `expected: ${estimate.nis_dof}` : "", ""],
      ["Payload", ...weight, payload?.mass ? "warning" : ""],
      ["Strut states", rate === null ? "–" : rate.toFixed(rate < 100 ? 1 : 0), rate === null ? "" : "Hz", "by their stamps", ""],
      ["Lost samples", missing === null ? "–" : String(missing), "", "since the nodes' start", missing ? "warning" : ""],
    ];
  }

  function payloadFigure(payload) {
    const std = figure("estimator", "payload_mass_std");
    const center = payload.center.map((x) => (1000 * x).toFixed(0)).join(", ");
    return [std ? `${rounded(payload.mass, std)} ± ${rounded(std, std)}` : plain(payload.mass), "kg", `at (${center}) mm`];
  }

  function showFigures() {
    const all = figures();
    const place = at("figures");
    if (place.children.length !== all.length) {
      place.replaceChildren(...all.map(([title]) => {
        const [box, dt, dd, detail] = ["div", "dt", "dd", "dd"].map((tag) => document.createElement(tag));
        dt.textContent = title;
        detail.className = "detail";
        dd.append(document.createElement("span"), " ", document.createElement("small"));
        box.append(dt, dd, detail);
        return box;
      }));
    }
    all.forEach(([, value, unit, detail, level], i) => {
      const [, dd, small] = place.children[i].children;
      put(dd.children[0], value);
      put(dd.children[1], unit);
      put(small, detail);
      small.className = `detail ${level}`;
    });
  }

  function parameterRow(name) {
    const row = document.createElement("tr");
    row.innerHTML = '<th scope="row"><button type="button"></button></th><td class="n"></td><td></td>' +
      '<td class="n optional"></td><td class="n optional"></td><td class="status"><span></span><small class="optional"></small></td><td class="course"><canvas aria-hidden="true"></canvas></td>';
    const button = row.querySelector("button");
    button.textContent = name;
    button.onclick = () => {
      page.chosen = name;
      page.charted = 0;
      redraw();
    };
    return row;
  }

  function showParameters() {
    const { estimate } = state;
    const names = estimate ? estimate.names : [];
    if (names.join() !== [...page.rows.keys()].join()) {
      page.rows = new Map(names.map((name) => [name, parameterRow(name)]));
      if (!page.rows.has(page.chosen)) page.chosen = names[0] || "";
      at("parameters").replaceChildren(...page.rows.values());
    }
    if (!estimate) {
      if (!at("parameters").textContent) at("parameters").innerHTML = '<tr><td colspan="7" class="dim">No estimate yet</td></tr>';
      return;
    }
    names.forEach((name, i) => {
      const [, value, unit, nominal, change, status] = page.rows.get(name).children;
      const known = !NOT_SHOWN.includes(estimate.status[i]);
      const figures = [estimate.values[i], estimate.std[i]].map((x) => rounded(x, estimate.std[i]));
      put(value, known ? figures.join(" ± ") : "–");
      put(unit, estimate.units[i].replace("^2", "²"));
      put(nominal, plain(estimate.nominal[i]));
      const share = (100 * (estimate.values[i] - estimate.nominal[i])) / Math.abs(estimate.nominal[i]);
      put(change, known && Number.isFinite(share) ? `${share < 0 ? "−" : "+"}${Math.abs(share).toFixed(1)} %` : "–");
      put(status.children[0], estimate.status[i]);
      put(status.children[1], estimate.rests_on?.[i] || "");
      status.className = `status ${STATUS[estimate.status[i]] || "waiting"}`;
      page.rows.get(name).className = name === page.chosen ? "chosen" : "";
      page.rows.get(name).querySelector("button").setAttribute("aria-pressed", String(name === page.chosen));
    });
  }

  function showDiagnostics() {
    const rows = [];
    for (const node of NODES.filter((name) => name in state.nodes)) {
      const quiet = silence(node);
      for (const task of state.nodes[node]) {
        if (quiet > SILENT) rows.push([node, task.task, "stale", `silent for ${Math.round(quiet)} s; last: ${task.message}`]);
        else rows.push([node, task.task, task.level, task.message]);
      }
    }
    const body = at("diagnostics");
    if (!rows.length) {
      body.innerHTML = '<tr><td colspan="4" class="dim">No node heard yet</td></tr>';
      return;
    }
    while (body.children.length > rows.length) body.lastChild.remove();
    if (body.children[0]?.children.length === 1) body.replaceChildren();
    rows.forEach(([node, task, level, message], i) => {
      if (!body.children[i]) {
        const row = document.createElement("tr");
        row.innerHTML = '<th scope="row"></th><td></td><td></td><td class="message"></td>';
        body.append(row);
      }
      const cells = body.children[i].children;
      [node, task, WORDS[level], message].forEach((text, k) => put(cells[k], text));
      cells[2].className = `status ${level === "stale" ? "warning" : level}`;
    });
  }

  function courseOf(index) {
    const { course, estimate } = state;
    if (!course || !estimate) return null;
    return {
      time: course.time,
      values: course.values.map((row) => row[index]),
      std: course.std.map((row) => row[index]),
      nominal: estimate.nominal[index],
    };
  }

  function showCharts() {
    const style = getComputedStyle(document.documentElement);
    const named = ["curve", "band", "soft", "line"].map((name) => [name, style.getPropertyValue(`--${name}`)]);
    const colors = Object.fromEntries(named);
    const names = [...page.rows.keys()];
    names.forEach((name, i) => {
      PkmBandChart(page.rows.get(name).querySelector("canvas"), courseOf(i), colors, false);
    });
    const chosen = names.indexOf(page.chosen);
    const unitOf = (i) => (state.estimate?.units[i] || "1").replace("^2", "²");
    put(at("chart_title"), chosen < 0 ? "Course of an estimate" : `${page.chosen} in ${unitOf(chosen)}`);
    at("chart").setAttribute("aria-label", chosen < 0 ? "No estimate yet" : `Course of ${page.chosen} with its band`);
    PkmBandChart(at("chart"), chosen < 0 ? null : courseOf(chosen), colors, true);
  }

  /* Buttons */

  function ask(action) {
    state.socket.send(JSON.stringify({ do: action }));
  }

  function showAnswer(answer) {
    state.answer = answer;
    const place = at("answer");
    place.hidden = false;
    place.className = answer.done ? "ok" : "error";
    const title = { save: "Save", reset: "Reset" }[answer.do];
    put(place, `${title} at ${new Date().toLocaleTimeString([], { hour12: false })}: ${answer.done ? "" : "refused, "}${answer.text}`);
  }

  at("save").onclick = () => ask("save");
  at("reset").onclick = () => at("sure").showModal();
  at("sure").addEventListener("close", () => at("sure").returnValue === "reset" && ask("reset"));
  at("save").disabled = at("reset").disabled = true;
  dark.addEventListener("change", () => {
    page.view?.setTheme(dark.matches ? "dark" : "light");
    page.charted = 0;
    redraw();
  });
  addEventListener("resize", redraw);
  addEventListener("hashchange", () => state.socket.close());
  setInterval(redraw, 1000); // silence grows while nothing comes
  connect();
})();
