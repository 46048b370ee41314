/** The discovery form as a request body. */
import { expect, test } from "vitest";
import { discoverOf } from "../../src/console/pages/inventory/discover-form.ts";

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

test("empty fields of the discovery form are not sent", () => {
  const empty = { limit: "", sample: "", username: "", password: "", credential: "", label: "", ticket: "" };
  expect(discoverOf(form({ select: " tag:lab ", ...empty }))).toEqual({ select: "tag:lab" });
});

test("the discovery form sends numbers, login, credential and labels; the password stays unchanged", () => {
  const filled = { limit: "5", max_failures: "2", username: "bob", password: " p ", credential: "lab" };
  const sent = discoverOf(form({ select: "all", ...filled, label: "facts", ticket: "T1", apply: "on" }));
  expect(sent).toEqual({
    ...{ select: "all", limit: 5, max_failures: 2, apply: true, options: { label: "facts", ticket: "T1" } },
    connection_args: { username: "bob", password: " p ", credential: { name: "file", ref: "lab" } },
  });
});

test("the discovery form rejects a missing selector and an invalid number", () => {
  expect(() => discoverOf(form({ select: " " }))).toThrow("selector");
  expect(() => discoverOf(form({ select: "all", limit: "many" }))).toThrow("limit must be a whole number");
});
