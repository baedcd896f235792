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

const data = JSON.parse(document.getElementById("data").textContent);
data.utterances.forEach((one, place) => { one.place = place; });
themeButton();
if (data.utterances.some((one) => one.sides)) new ErrorAnalysis(data);
new List(data);
