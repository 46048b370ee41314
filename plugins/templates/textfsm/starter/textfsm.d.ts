/** The type of an imported template file. */
declare module "*.textfsm" {
  const text: string;
  export default text;
}
