/** Settings in force and licences, as OpenAPI describes them. */
import type { LicenceRecord, SettingRecord } from "../model/setting.ts";
import { listOf, record, refTo, text } from "./openapi-schema.ts";

export const settingSchemas = {
  Setting: record<SettingRecord>({
    name: text,
    value: { ...text, description: "Secrets masked; empty where nothing is set" },
    origin: { type: "string", enum: ["flag", "environment", "file", "default"] },
    variable: { ...text, description: "Its variable of the environment" },
    about: text,
  }),
  Licence: record<LicenceRecord>({ title: text, text }),
};

export const settingPaths = {
  "/settings": {
    get: { summary: "List the settings in force, and where each came from", data: listOf(refTo("Setting")) },
  },
  "/licenses": {
    get: { summary: "List the licences of all parts of the program", data: listOf(refTo("Licence")) },
  },
};
