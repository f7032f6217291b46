// The sign-in form. The only account is in README.md; it protects nothing.

(() => {
  "use strict";

  const accounts = new Map([["alice", "harbor-demo"]]);
  const form = document.getElementById("sign-in-form");
  const name = document.getElementById("user_name");
  const password = document.getElementById("password");
  const error = document.getElementById("sign-in-error");

  const refuse = (message, field) => {
    error.querySelector("span:last-child").textContent = message;
    error.hidden = false;
    name.setAttribute("aria-invalid", String(field === name || password.value !== ""));
    password.setAttribute("aria-invalid", String(field === password));
    password.value = "";
    field.focus();
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = name.value.trim();
    if (given === "") return refuse("Enter your user name.", name);
    if (password.value === "") return refuse("Enter your password.", password);
    if (accounts.get(given) !== password.value) return refuse("Wrong user name or password.", password);
    Harbor.write("user", given);
    location.assign("issues.html");
  });
})();
