/** The part of the door that brings a library: YAML as PyYAML reads and writes it. */
export * as kinds from "./yaml/kinds.ts";
export { loadYaml, loadYamlAll } from "./yaml/read.ts";
export { writeYaml } from "./yaml/write.ts";
