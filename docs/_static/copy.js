// A button on each block of code copies what the reader would type: commands without "$ ", Python without ">>> ", and
// no output.
"use strict";

/** Return what is typed in a block; the whole text if it shows no prompts. */
function typed(text) {
  const prompts = { "$ ": "> ", ">>> ": "... " };
  const prompt = Object.keys(prompts).find((one) => text.split("\n").some((line) => line.startsWith(one)));
  if (prompt === undefined) return text.trimEnd();
  const kept = [];
  let goesOn = false;
  for (const line of text.split("\n")) {
    if (line.startsWith(prompt)) kept.push(line.slice(prompt.length));
    else if (goesOn || line.startsWith("... ")) kept.push(prompt === ">>> " ? line.slice(4) : line);
    goesOn = prompt === "$ " && (line.startsWith(prompt) || goesOn) && line.endsWith("\\");
  }
  return kept.join("\n");
}

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy what is typed");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(typed(block.querySelector("pre").textContent));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
});
