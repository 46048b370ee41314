/** Style sheets are bundled beside the code that imports them. */
declare module "*.css";
