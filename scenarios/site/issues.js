// The issue list (tabs, live filter, issues opened in this session) and the form that opens an issue.

(() => {
  "use strict";

  const firstNumber = 143;
  const labels = { bug: "tone-bad", enhancement: "tone-info", docs: "tone-good", design: "tone-violet", performance: "tone-warn" };

  /** The row of an issue opened in this session, made like the rows written in issues.html. */
  const rowOf = (issue) => {
    const row = document.getElementById("issue-row").content.firstElementChild.cloneNode(true);
    row.id = `issue-${issue.number}`;
    const title = row.querySelector(".issue-title");
    title.textContent = issue.title;
    title.href = `#${row.id}`;
    const label = row.querySelector(".label");
    if (issue.label in labels) {
      label.textContent = issue.label;
      label.classList.add(labels[issue.label]);
    } else {
      label.remove();
    }
    row.querySelector(".issue-meta").textContent = `keel #${issue.number} · opened just now by ${issue.author}`;
    const avatar = row.querySelector(".avatar");
    avatar.textContent = issue.author[0].toUpperCase();
    avatar.dataset.user = issue.author;
    return row;
  };

  const showList = () => {
    const filter = document.getElementById("filter");
    const lists = { open: document.getElementById("open-issues"), closed: document.getElementById("closed-issues") };
    const tabs = { open: document.getElementById("tab-open"), closed: document.getElementById("tab-closed") };
    const empty = document.getElementById("no-issues");
    let state = "open";

    for (const issue of Harbor.read("issues", [])) lists.open.prepend(rowOf(issue));
    for (const [name, tab] of Object.entries(tabs)) tab.querySelector(".count").textContent = lists[name].children.length;

    const update = () => {
      for (const name of Object.keys(lists)) {
        lists[name].parentElement.hidden = name !== state;
        tabs[name].setAttribute("aria-selected", String(name === state));
        tabs[name].tabIndex = name === state ? 0 : -1;
      }
      empty.hidden = Harbor.filterRows(lists[state].children, filter.value) > 0;
    };
    const choose = (name) => {
      state = name;
      update();
    };
    for (const [name, tab] of Object.entries(tabs)) {
      tab.addEventListener("click", () => choose(name));
      tab.addEventListener("keydown", (event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        choose(name === "open" ? "closed" : "open");
        tabs[state].focus();
      });
    }
    filter.value = new URLSearchParams(location.search).get("q") ?? "";
    filter.addEventListener("input", update);
    update();

    const message = Harbor.take("flash");
    if (message !== null) {
      const flash = document.getElementById("flash");
      flash.querySelector("span:last-child").textContent = message;
      flash.hidden = false;
    }
  };

  const openIssue = (event) => {
    event.preventDefault();
    const title = document.getElementById("title");
    const text = title.value.trim();
    if (text === "") {
      document.getElementById("title-error").hidden = false;
      title.setAttribute("aria-invalid", "true");
      title.focus();
      return;
    }
    const issues = Harbor.read("issues", []);
    const number = firstNumber + issues.length;
    issues.push({
      number,
      title: text,
      body: document.getElementById("body").value,
      label: document.getElementById("label").value,
      author: Harbor.user ?? "guest",
    });
    Harbor.write("issues", issues);
    Harbor.write("flash", `Issue #${number} was opened.`);
    location.assign("issues.html");
  };

  const form = document.getElementById("new-issue-form");
  if (form === null) return showList();
  form.addEventListener("submit", openIssue);
  form.elements.title.addEventListener("input", ({ target }) => {
    target.removeAttribute("aria-invalid");
    document.getElementById("title-error").hidden = true;
  });
})();
