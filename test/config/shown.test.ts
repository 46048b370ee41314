/** The displayed settings contain no secrets. */
import { expect, test } from "vitest";
import { describeConfig, loadConfig } from "../../src/config/config.ts";

test("secret settings and logins in URLs are masked", () => {
  const flags = {
    api_key: "first-admin-key-0123456789",
    database_url: "libsql://store:hunter2@db.example:8080?authToken=eyJhbGciOi&tls=1",
    otlp_url: "http://traces:hunter2@collector.example/v1/traces",
    otlp_headers: "authorization=hunter2",
    url_allow: "10.0.0.0/8",
  };
  const shown = describeConfig(loadConfig({ flags, environment: {} }));
  const shownOf = (name: string) => shown.find((setting) => setting.name === name)?.value;
  expect(JSON.stringify(shown)).not.toMatch(/hunter2|eyJhbGciOi|first-admin-key/);
  expect(shownOf("database_url")).toBe("libsql://[secret]@db.example:8080?authToken=[secret]&tls=1");
  expect(shownOf("otlp_url")).toBe("http://[secret]@collector.example/v1/traces");
  expect(shownOf("url_allow")).toBe("10.0.0.0/8");
  expect(shownOf("api_key")).toBe("[secret]");
});
