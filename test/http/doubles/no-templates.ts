/** Stored templates of which there is one. */
import type { TemplateRecord } from "../../../src/api/recipes/template.ts";
import type { Templates } from "../../../src/recipes/port.ts";
import { doubleOf } from "./double.ts";

export const templateRecord: TemplateRecord = {
  name: "ntp",
  version: 1,
  changed_at: "2026-01-01T00:00:00.000+00:00",
  changed_by: "name-admin",
  engine: "jinja2",
  title: "NTP servers",
  template: "{% for one in servers %}ntp server {{ one }}\n{% endfor %}",
  tests: [{ name: "one", context: { servers: ["192.0.2.1"] }, expected: "ntp server 192.0.2.1\n" }],
};

export const noTemplates = doubleOf<Templates>({
  list: async () => [],
  put: async () => ({ record: templateRecord, added: true }),
  test: async () => ({ passed: true, tests: [{ name: "one", passed: true, message: null }], warnings: [] }),
});
