// Before the first painting, set the theme that the reader chose earlier, if it is stored.
try {
  const chosen = localStorage.getItem("latticemetric-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch { /* Without storage, use the system's theme. */ }
