/** The files of an installed service besides the program itself. */
import { type Layout, type PlannedFile, secretsFile, settingsFile, unitName } from "./layout.ts";
import { secretsText, settingsText } from "./settings-text.ts";
import { unitText } from "./unit.ts";

export function plannedFiles(layout: Layout): PlannedFile[] {
  return [
    { path: `${layout.unitDir}/${unitName}`, mode: 0o644, content: unitText(layout) },
    { path: settingsFile, mode: 0o640, forService: true, keep: true, content: settingsText() },
    { path: secretsFile, mode: 0o600, keep: true, content: secretsText() },
  ];
}
