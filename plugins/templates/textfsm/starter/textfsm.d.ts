/** What an import of a template gives. */
declare module "*.textfsm" {
  const text: string;
  export default text;
}
