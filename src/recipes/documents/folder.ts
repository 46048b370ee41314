/**
 * Templates and recipes as files: a document in YAML or JSON with the name of its file. The text of a template may
 * stand in a file beside it, which has the same name and the extension of its engine. Pure.
 */
import { basename, extname } from "node:path";
import { issueTexts } from "../../base/issues.ts";
import { isGiven, isRecord } from "../../base/json/members.ts";
import { readYaml } from "../../base/yaml/yaml-read.ts";

export interface DocumentFile {
  /** With its folders. */
  readonly name: string;
  readonly text: string;
}

export interface FileFault {
  readonly file: string;
  readonly message: string;
}

export interface FolderDocument {
  readonly name: string;
  readonly file: string;
  readonly value: unknown;
}

export interface FolderDocuments {
  readonly documents: readonly FolderDocument[];
  readonly faults: readonly FileFault[];
}

const ofDocuments = new Set([".yaml", ".yml", ".json"]);

/** @param engines by extension, such as `j2`; empty: texts are no documents */
export function documentsIn(
  files: readonly DocumentFile[],
  engines: Readonly<Record<string, string>> = {},
): FolderDocuments {
  const faults: FileFault[] = [];
  const found = new Map<string, { readonly file: string; value?: unknown }>();
  const texts = new Map<string, { readonly file: string; readonly text: string; readonly engine: string }>();
  for (const { name: file, text } of files) {
    const extension = extname(file);
    const name = basename(file, extension);
    const engine = Object.hasOwn(engines, extension.slice(1)) ? engines[extension.slice(1)] : undefined;
    const isDocument = ofDocuments.has(extension);
    if (!isDocument && engine === undefined) continue;
    const other = isDocument ? found.get(name) : texts.get(name);
    if (other !== undefined) faults.push({ file, message: `has the name of ${other.file}` });
    else if (engine !== undefined) texts.set(name, { file, text, engine });
    else {
      const one: { readonly file: string; value?: unknown } = { file };
      found.set(name, one);
      try {
        one.value = readYaml(text, "", "core").value;
      } catch (error) {
        found.delete(name);
        texts.delete(name);
        faults.push({ file, message: issueTexts(error)[0] ?? "is no YAML" });
      }
    }
  }
  const documents: FolderDocument[] = [];
  for (const [name, { file, value }] of found) {
    const beside = texts.get(name);
    texts.delete(name);
    if (beside !== undefined && isRecord(value) && isGiven(value.template))
      faults.push({ file, message: `has a \`template\` of its own, and ${beside.file} is beside it` });
    else
      documents.push({
        ...{ name, file },
        value:
          beside !== undefined && isRecord(value)
            ? { engine: beside.engine, ...value, template: beside.text }
            : value,
      });
  }
  const broken = new Set(faults.map(({ file }) => basename(file, extname(file))));
  for (const [name, { file, text, engine }] of texts)
    if (!broken.has(name)) documents.push({ name, file, value: { engine, template: text } });
  return { documents, faults };
}
