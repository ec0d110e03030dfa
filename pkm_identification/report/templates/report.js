// Draws the interactive figures over the pictures. Where anything is missing, the pictures stay.
(async () => {
  const source = document.getElementById("plotly");
  const places = [...document.querySelectorAll(".plot")];
  if (!source || !places.length || !("DecompressionStream" in window)) return;
  const packed = Uint8Array.from(atob(source.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
  source.remove();

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  // Colours of the page, light or dark, in place of the names that the figures have for them.
  const themed = (value) => {
    if (typeof value === "string") return value.startsWith("--") ? colour(value) : value;
    if (Array.isArray(value)) return value.map(themed);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, themed(one)]));
    return value;
  };
  const config = {
    displaylogo: false,
    responsive: true,
    modeBarButtonsToRemove: ["lasso2d", "select2d"],
    // a report stays where it is: plotly 7 otherwise offers to send a figure's data to a server of its own
    showSendToCloud: false,
    plotlyServerURL: "",
  };
  const draw = async (place) => {
    const { data, layout } = JSON.parse(document.getElementById(place.dataset.figure).textContent);
    await Plotly.react(place, themed(data), themed(layout), config);
  };
  for (const place of places) {
    // shown first: a hidden place has no width
    place.closest("figure").classList.add("drawn-figure");
    try {
      await draw(place);
      place.dataset.drawn = "yes";
    } catch (error) {
      place.closest("figure").classList.remove("drawn-figure");
      console.error(error);
    }
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => places.forEach(draw));
  document.documentElement.dataset.figures = "drawn";
})();
