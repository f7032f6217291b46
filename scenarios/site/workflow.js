// Re-running the failed workflow: everything that failed or was skipped is queued again.

(() => {
  "use strict";

  const rerun = document.getElementById("rerun");

  const queue = (element) => {
    element.dataset.state = "queued";
    const icon = element.querySelector(".icon");
    icon.className = "icon icon-queued";
    const time = element.querySelector(".job-time");
    if (time !== null) time.textContent = "queued";
  };

  rerun.addEventListener("click", () => {
    const status = document.getElementById("run-status");
    status.className = "badge tone-warn";
    status.textContent = "Queued";
    document.getElementById("attempt").textContent = "Attempt 2";
    for (const job of document.querySelectorAll("[data-state=failed], [data-state=skipped]")) queue(job);
    for (const line of document.querySelectorAll(".job-graph .wire")) line.classList.remove("broken");
    document.getElementById("run-time").textContent = "waiting for a runner";
    document.getElementById("log-of").textContent = "log of attempt 1";
    const notice = document.getElementById("rerun-notice");
    notice.textContent = `Re-run requested by ${Harbor.user ?? "guest"}. Two jobs wait for a runner.`;
    notice.hidden = false;
    rerun.disabled = true;
  });
})();
