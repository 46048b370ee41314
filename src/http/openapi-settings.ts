/** OpenAPI description of effective settings and licences. */
import type { LicenceRecord, SettingRecord } from "../model/setting.ts";
import { listOf, record, refTo, text } from "./openapi-schema.ts";

export const settingSchemas = {
  Setting: record<SettingRecord>({
    name: text,
    value: { ...text, description: "Secrets masked; empty if not set" },
    origin: { type: "string", enum: ["flag", "environment", "file", "default"] },
    variable: { ...text, description: "Its environment variable" },
    about: text,
  }),
  Licence: record<LicenceRecord>({ title: text, text }),
};

export const settingPaths = {
  "/settings": {
    get: { summary: "List the settings in force, with the origin of each", data: listOf(refTo("Setting")) },
  },
  "/licenses": {
    get: { summary: "List the licences of all parts of the program", data: listOf(refTo("Licence")) },
  },
};
