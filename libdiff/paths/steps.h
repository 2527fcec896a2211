/*
 * How long a path is for a person. The same for shortest paths, for their groups and for places in a tree of type
 * paths.
 */
#ifndef HSD_PATHS_STEPS_H
#define HSD_PATHS_STEPS_H

#define HSD_MAX_PATH_STEPS 64u /* of a path that is shown; what is longer is cut in the middle */
/* a step that repeats one of the last so many leads back to its place: a list is one place */
#define HSD_PATH_LOOK_BACK 4u

#endif
