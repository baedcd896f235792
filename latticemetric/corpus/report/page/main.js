// Start the page: the theme button, the error analysis and the list of utterances.
function themeButton() {
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const tell = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("latticemetric-theme", root.dataset.theme); } catch { /* The choice cannot be stored. */ }
    tell();
  });
  system.addEventListener("change", tell);
  button.hidden = false;
  tell();
}

// Say above a table that does not fit that it scrolls, and where to.
function tellScrolling(region, place) {
  const hint = element("p", { class: "note scrolls", id: `scrolls-${place}`, hidden: true });
  region.before(hint);
  region.setAttribute("aria-describedby", hint.id);
  const tell = () => {
    const ways = [region.scrollWidth > region.clientWidth + 1 ? "→ sideways" : null, region.scrollHeight > region.clientHeight + 1 ? "↓ down" : null];
    hint.textContent = `Scroll the table ${ways.filter(Boolean).join(" and ")} to see all of it.`;
    hint.hidden = !ways.some(Boolean);
  };
  const observer = new ResizeObserver(tell);
  for (const one of [region, region.firstElementChild]) observer.observe(one);
}

const data = JSON.parse(document.getElementById("data").textContent);
data.utterances.forEach((one, place) => { one.place = place; });
themeButton();
if (data.utterances.some((one) => one.sides)) new ErrorAnalysis(data);
new List(data);
document.querySelectorAll(".wide").forEach(tellScrolling);
