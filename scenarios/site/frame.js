// The outer page of the frame bench: counts what happens inside the frame and inside the shadow root.
// The frame speaks by postMessage, which also works where the pages are opened as files.

(() => {
  "use strict";

  const style = `
    :host { display: block; }
    .box { display: flex; align-items: center; gap: 14px; }
    button {
      height: 32px; padding: 0 13px; border: 0; border-radius: 5px; font: 700 13px "Harbor Sans", sans-serif;
      background: var(--accent-fill); color: #fff; cursor: pointer;
    }
    button:hover { background: var(--accent-fill-hover); }
    button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    output { color: var(--muted); }
  `;

  /** A counter whose button exists only in its open shadow root. */
  class HarborCounter extends HTMLElement {
    #clicks = 0;

    connectedCallback() {
      if (this.shadowRoot !== null) return;
      const root = this.attachShadow({ mode: "open" });
      root.innerHTML = `<style>${style}</style><div class="box"><button type="button" id="shadow-button">Raise the flag</button><output>0 clicks</output></div>`;
      root.querySelector("button").addEventListener("click", () => {
        this.#clicks += 1;
        root.querySelector("output").textContent = `${this.#clicks} ${this.#clicks === 1 ? "click" : "clicks"}`;
        this.dispatchEvent(new CustomEvent("count", { detail: { from: "shadow root", button: "Raise the flag", clicks: this.#clicks } }));
      });
    }
  }
  customElements.define("harbor-counter", HarborCounter);

  const show = (place, { from, button, clicks }) => {
    document.getElementById(place).textContent = clicks;
    document.getElementById("last-click").textContent = `${button} (${from})`;
  };
  document.querySelector("harbor-counter").addEventListener("count", (event) => show("shadow-clicks", event.detail));

  const frame = document.getElementById("inner");
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow) return;
    show(event.data.button === "Ring the bell" ? "frame-clicks" : "frame-low-clicks", { from: "frame", ...event.data });
  });
})();
