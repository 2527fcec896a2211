/* esbuild takes styles and pictures into the bundle. */
declare module "*.css";
