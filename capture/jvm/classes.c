/*
 * Classes before the walk. JVMTI tells a field by its place in a list that nobody writes down:
 *
 *      fields of all interfaces of the class and its superclasses, in whatever order
 *      fields of the topmost superclass, … of the superclass, own ones, as GetClassFields says them
 *
 * so of the interfaces only the number of fields is needed (`above`), and of the others where each class begins
 * (`first_field`).
 */
#include <stdio.h>
#include <string.h>

#include "jvm.h"
#include "jvm/known.h"

static hsc_java_name bytes_of(const char *text) { return (hsc_java_name){(const uint8_t *)text, strlen(text)}; }

uint32_t jvm_number_of(jvm_capture *capture, jobject class)
{
    jlong tag = 0;
    if (class == NULL || (*capture->jvmti)->GetTag(capture->jvmti, class, &tag) != JVMTI_ERROR_NONE) return 0;
    if (tag == 0) {
        if (*capture->next_class >= (jlong)capture->class_capacity) return 0;
        tag = (*capture->next_class)++;
        if ((*capture->jvmti)->SetTag(capture->jvmti, class, tag) != JVMTI_ERROR_NONE) return 0;
    }
    return jvm_class_number(capture, tag);
}

/* ---- fields ---- */

static uint32_t role_of(const char *class_name, const char *name)
{
    if (strcmp(class_name, "java.lang.ref.Reference") == 0) {
        if (strcmp(name, "referent") == 0) return JVM_REFERENT;
        if (strcmp(name, "next") == 0) return JVM_NEXT;
    }
    if (strcmp(class_name, "java.lang.Thread") == 0) {
        if (strcmp(name, "threadLocals") == 0) return JVM_LOCALS;
        if (strcmp(name, "inheritableThreadLocals") == 0) return JVM_INHERITABLE;
    }
    if (strcmp(class_name, "java.lang.ThreadLocal$ThreadLocalMap$Entry") == 0 && strcmp(name, "value") == 0)
        return JVM_VALUE;
    if (hsc_java_known_cleaner(bytes_of(class_name), bytes_of(name))) return JVM_CLEANER;
    if (hsc_java_known_action(bytes_of(class_name), bytes_of(name))) return JVM_ACTION;
    return hsc_java_known_view(bytes_of(class_name), bytes_of(name)) ? JVM_VIEW : JVM_FIELD;
}

static uint32_t strength_of_field(const char *class_name, const char *name)
{
    const hsc_java_name class = bytes_of(class_name), field = bytes_of(name);
    const bool is_weak = hsc_java_known_of_threads(class, field) || hsc_java_known_register(class, field);
    return is_weak ? HSC_STRENGTH_WEAK : HSC_STRENGTH_STRONG;
}

static void label_static(jvm_capture *capture, const jvm_class *of, const char *class_name, const char *name,
                         jvm_field *field)
{
    const uint32_t named = of->is_lasting ? HSC_LABEL_NAMED_ROOT : 0;
    field->label = jvm_label(&capture->output, HSC_LABEL_STATIC, named | strength_of_field(class_name, name), name);
    field->role = of->is_lasting ? JVM_STATIC : JVM_FIELD;
}

static void label_field(jvm_capture *capture, const char *class_name, const char *name, jvm_field *field)
{
    const uint32_t fold = hsc_java_known_fold(bytes_of(class_name), bytes_of(name)) ? HSC_LABEL_FOLD : 0;
    field->label = jvm_label(&capture->output, HSC_LABEL_FIELD, fold | strength_of_field(class_name, name), name);
    field->role = role_of(class_name, name);
}

static bool is_thread_local(const char *signature)
{
    return strcmp(signature, "Ljava/lang/ThreadLocal;") == 0 ||
           strcmp(signature, "Ljava/lang/InheritableThreadLocal;") == 0;
}

static void describe_field(jvm_capture *capture, jclass class, const char *class_name, jfieldID id, const jvm_class *of,
                           jvm_field *field)
{
    jvmtiEnv *jvmti = capture->jvmti;
    char *raw = NULL, *signature = NULL, name[JVM_NAME_BYTES];
    jint modifiers = 0;
    if ((*jvmti)->GetFieldName(jvmti, class, id, &raw, &signature, NULL) != JVMTI_ERROR_NONE) return;
    if (signature[0] == 'L' || signature[0] == '[') {
        (*jvmti)->GetFieldModifiers(jvmti, class, id, &modifiers);
        jvm_utf8(raw, name, sizeof name);
        if ((modifiers & 0x0008) != 0) {
            label_static(capture, of, class_name, name, field);
            if (is_thread_local(signature)) jvm_read_local(capture, class, class_name, id, name);
        } else
            label_field(capture, class_name, name, field);
    } else if (hsc_java_known_outside(bytes_of(class_name), bytes_of(raw))) {
        field->role = JVM_OUTSIDE;
    } else if (hsc_java_known_address(bytes_of(class_name), bytes_of(raw))) {
        field->role = JVM_ADDRESS;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)raw);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static bool describe_fields(jvm_capture *capture, jclass class, const char *class_name, jvm_class *of)
{
    jvmtiEnv *jvmti = capture->jvmti;
    jint count = 0;
    jfieldID *ids = NULL;
    /* not prepared: no instances */
    if ((*jvmti)->GetClassFields(jvmti, class, &count, &ids) != JVMTI_ERROR_NONE) return true;
    of->fields = hsa_arena_take(&capture->arena, (size_t)count * sizeof *of->fields);
    if (of->fields != NULL) of->field_count = (uint32_t)count;
    for (uint32_t i = 0; i < of->field_count; i++)
        describe_field(capture, class, class_name, ids[i], of, &of->fields[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
    return of->fields != NULL;
}

static bool describe_interfaces(jvm_capture *capture, jclass class, jvm_class *of)
{
    jvmtiEnv *jvmti = capture->jvmti;
    jint count = 0;
    jclass *found = NULL;
    if ((*jvmti)->GetImplementedInterfaces(jvmti, class, &count, &found) != JVMTI_ERROR_NONE) return true;
    of->interfaces = hsa_arena_take(&capture->arena, (size_t)count * sizeof *of->interfaces);
    for (jint i = 0; i < count; i++) {
        if (of->interfaces != NULL) of->interfaces[of->interface_count++] = jvm_number_of(capture, found[i]);
        (*capture->jni)->DeleteLocalRef(capture->jni, found[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)found);
    return of->interfaces != NULL;
}

/* ---- one class ---- */

static bool is_lasting_name(jvm_capture *capture, jclass class)
{
    char *signature = NULL, name[JVM_NAME_BYTES];
    bool is_hidden;
    if ((*capture->jvmti)->GetClassSignature(capture->jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) return false;
    const size_t size = jvm_class_name(signature, name, sizeof name, &is_hidden);
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)signature);
    return hsc_java_known_lasting_loader((hsc_java_name){(const uint8_t *)name, size});
}

/* By the loader's class, each of which is asked for its name once. */
static bool is_lasting_loader(jvm_capture *capture, jobject loader)
{
    jclass class = (*capture->jni)->GetObjectClass(capture->jni, loader);
    jvm_class *of = &capture->classes[jvm_number_of(capture, class)]; /* 0: no more room, asked each time */
    if (of->as_loader == JVM_LOADER_UNSEEN || of == capture->classes)
        of->as_loader = is_lasting_name(capture, class) ? JVM_LOADER_LASTING : JVM_LOADER_PASSING;
    (*capture->jni)->DeleteLocalRef(capture->jni, class);
    return of->as_loader == JVM_LOADER_LASTING;
}

/* Hidden classes can go before their loader does. */
static void describe_loader(jvm_capture *capture, jclass class, bool is_hidden, jvm_class *of)
{
    jobject loader = NULL;
    (*capture->jvmti)->GetClassLoader(capture->jvmti, class, &loader);
    of->is_sticky = loader == NULL && !is_hidden;
    of->is_lasting = loader == NULL || is_lasting_loader(capture, loader);
    of->is_permanent = of->is_lasting && loader != NULL && !is_hidden;
    if (loader != NULL) (*capture->jni)->DeleteLocalRef(capture->jni, loader);
}

/* Classes of the boot loader are roots of the JVM. Those that go with the program like them are made roots here: else
 * they would hang from their loader's list of classes, and with them what several of their statics hold. Then the class
 * is a root of its own name. */
static void write_class_root(jvm_capture *capture, const jvm_class *of, uint32_t number, const char *name)
{
    char label[JVM_NAME_BYTES + 8] = "(application classes)";
    uint32_t statics = 0;
    if (!of->is_permanent) return;
    for (uint32_t i = 0; i < of->field_count; i++)
        statics += of->fields[i].role == JVM_STATIC && of->fields[i].label != 0;
    if (statics >= 2) snprintf(label, sizeof label, "class %s", name);
    hsc_root(capture->writer, &(hsc_root_record){.kind = HSC_ROOT_STATIC,
                                                 .target = number,
                                                 .label = jvm_string(&capture->output, label, strlen(label))});
}

/* The class object and the type of its instances have the same name. */
static void name_class(jvm_capture *capture, const char *name, size_t size, jvm_class *of)
{
    uint8_t text[JVM_NAME_BYTES + HSC_JAVA_LAMBDA_BYTES];
    memcpy(text, name, size);
    const size_t used = hsc_java_call_lambda(text, size);
    of->name = jvm_string(&capture->output, (const char *)text, used);
    of->type = jvm_type(&capture->output, (const char *)text, used);
}

bool jvm_describe_class(jvm_capture *capture, jclass class, uint32_t number)
{
    jvm_class *of = &capture->classes[number];
    jvmtiEnv *jvmti = capture->jvmti;
    char *signature = NULL, name[JVM_NAME_BYTES];
    bool is_hidden = false;
    if (of->is_known) return true;
    /* unloaded: has no objects */
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) return true;
    const size_t size = jvm_class_name(signature, name, sizeof name, &is_hidden);
    const bool is_array = signature[0] == '[';
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    of->is_known = true;
    name_class(capture, name, size, of);
    if (hsc_java_known_native(bytes_of(name)) != NULL && capture->outside.class_count < JVM_OWNER_CLASSES) {
        of->is_owner = true;
        capture->outside.classes[capture->outside.class_count++] = number;
    }
    if (strcmp(name, "java.lang.Class") == 0) of->kind = JVM_MIRROR;
    if (strcmp(name, "java.lang.Thread") == 0) of->kind = JVM_THREAD;
    if (strcmp(name, "java.lang.ThreadLocal$ThreadLocalMap$Entry") == 0) of->kind = JVM_LOCAL;
    if (strcmp(name, "java.lang.ref.FinalReference") == 0) of->kind = JVM_FINAL, of->strength = HSC_STRENGTH_WEAK;
    if (strcmp(name, "java.lang.ref.SoftReference") == 0) of->strength = HSC_STRENGTH_SOFT;
    if (strcmp(name, "java.lang.ref.WeakReference") == 0 || strcmp(name, "java.lang.ref.PhantomReference") == 0)
        of->strength = HSC_STRENGTH_WEAK;
    of->is_cleanable = hsc_java_known_cleanable(bytes_of(name));
    describe_loader(capture, class, is_hidden, of);
    /* those are not in the list of their loader */
    of->is_permanent = of->is_permanent && !is_array && !hsc_java_is_lambda(bytes_of(name));
    jclass super = (*capture->jni)->GetSuperclass(capture->jni, class);
    of->super = jvm_number_of(capture, super);
    if (super != NULL) (*capture->jni)->DeleteLocalRef(capture->jni, super);
    if (is_array)
        of->kind = JVM_ARRAY;
    else if (!describe_fields(capture, class, name, of) || !describe_interfaces(capture, class, of))
        return false;
    write_class_root(capture, of, number, name);
    return true;
}

/* ---- where fields begin ---- */

static void push_interfaces(jvm_capture *capture, const jvm_class *of, uint32_t *height)
{
    for (uint32_t i = 0; i < of->interface_count; i++) {
        const uint32_t number = of->interfaces[i];
        if (number == 0 || capture->marks[number] == capture->mark) continue;
        capture->marks[number] = capture->mark;
        capture->stack[(*height)++] = number;
    }
}

/* Each interface is on the stack at most once, so it holds as many as there are classes. */
static uint32_t count_interface_fields(jvm_capture *capture, const jvm_class *of)
{
    uint32_t height = 0, fields = 0;
    capture->mark++;
    for (const jvm_class *at = of;; at = &capture->classes[at->super]) {
        push_interfaces(capture, at, &height);
        if (at->super == 0) break;
    }
    while (height > 0) {
        const jvm_class *interface = &capture->classes[capture->stack[--height]];
        fields += interface->field_count;
        push_interfaces(capture, interface, &height);
    }
    return fields;
}

/* What follows from the superclasses: where own fields begin, and what kind of object it is. */
static void inherit(jvm_capture *capture, jvm_class *of)
{
    uint32_t fields = 0;
    for (const jvm_class *at = of; at->super != 0;) {
        at = &capture->classes[at->super];
        fields += at->field_count;
        if (of->kind == JVM_PLAIN && (at->kind == JVM_THREAD || at->kind == JVM_FINAL)) of->kind = at->kind;
        if (of->strength == HSC_STRENGTH_STRONG) of->strength = at->strength;
        of->is_cleanable = of->is_cleanable || at->is_cleanable;
    }
    of->first_field = fields;
    of->above = count_interface_fields(capture, of);
    of->is_counted = true;
}

/* ---- all of them ---- */

static void make_labels(jvm_capture *capture)
{
    jvm_output *output = &capture->output;
    capture->element_label = jvm_label(output, HSC_LABEL_ELEMENT, 0, "");
    /* in the list of a loader: such a class holds itself */
    capture->weak_element_label = jvm_label(output, HSC_LABEL_ELEMENT, HSC_STRENGTH_WEAK, "");
    capture->class_label = jvm_label(output, HSC_LABEL_CLASS, 0, "class");
    capture->super_label = jvm_label(output, HSC_LABEL_INTERNAL, 0, "super");
    capture->loader_label = jvm_label(output, HSC_LABEL_INTERNAL, 0, "loader");
    capture->signers_label = jvm_label(output, HSC_LABEL_INTERNAL, 0, "signers");
    capture->domain_label = jvm_label(output, HSC_LABEL_INTERNAL, 0, "protection domain");
    capture->constant_label = jvm_label(output, HSC_LABEL_INTERNAL, 0, "constant pool");
    capture->interface_label = jvm_label(output, HSC_LABEL_INTERNAL, 0, "interface");
    capture->values_label = jvm_label(output, HSC_LABEL_INTERNAL, 0, "class values");
    for (uint32_t strength = 0; strength <= HSC_STRENGTH_SOFT; strength++)
        capture->referent_labels[strength] = jvm_label(output, HSC_LABEL_FIELD, strength, "referent");
    capture->cleanable_label = jvm_label(output, HSC_LABEL_INTERNAL, 0, "cleaner");
    capture->named_locals = jvm_label(output, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT | HSC_LABEL_FOLD, "threadLocals");
    capture->named_inheritable =
        jvm_label(output, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT | HSC_LABEL_FOLD, "inheritableThreadLocals");
    capture->finalizer_queue = jvm_string(output, "finalizer queue", strlen("finalizer queue"));
}

static bool make_room_for_jvm_class(jvm_capture *capture, uint32_t loaded)
{
    const uint64_t capacity = (uint64_t)*capture->next_class + loaded + 65536;
    capture->class_capacity = capacity < (uint64_t)JVM_CLASS_TAGS ? (uint32_t)capacity : (uint32_t)JVM_CLASS_TAGS;
    capture->classes = hsa_arena_take(&capture->arena, capture->class_capacity * sizeof *capture->classes);
    capture->marks = hsa_arena_take(&capture->arena, capture->class_capacity * sizeof *capture->marks);
    capture->stack = hsa_arena_take(&capture->arena, capture->class_capacity * sizeof *capture->stack);
    return capture->classes != NULL && capture->marks != NULL && capture->stack != NULL;
}

/* Room for the statics of any class. */
static bool make_pending(jvm_capture *capture)
{
    jvm_pending *pending = &capture->pending;
    uint32_t most = 0;
    for (uint32_t i = 0; i < capture->class_capacity; i++)
        if (capture->classes[i].field_count > most) most = capture->classes[i].field_count;
    pending->room = most + 8;
    pending->targets = hsa_arena_take(&capture->arena, pending->room * sizeof *pending->targets);
    pending->labels = hsa_arena_take(&capture->arena, pending->room * sizeof *pending->labels);
    return pending->targets != NULL && pending->labels != NULL;
}

bool jvm_read_classes(jvm_capture *capture)
{
    jvmtiEnv *jvmti = capture->jvmti;
    jint count = 0;
    jclass *loaded = NULL;
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &loaded) != JVMTI_ERROR_NONE) return false;
    bool is_good = make_room_for_jvm_class(capture, (uint32_t)count);
    if (is_good) make_labels(capture);
    is_good = is_good && jvm_open_locals(capture);
    for (jint i = 0; i < count && is_good; i++) {
        const uint32_t number = jvm_number_of(capture, loaded[i]);
        is_good = number == 0 || jvm_describe_class(capture, loaded[i], number);
    }
    if (is_good) jvm_read_values(capture, loaded, count);
    for (jint i = 0; i < count; i++)
        (*capture->jni)->DeleteLocalRef(capture->jni, loaded[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)loaded);
    for (uint32_t i = 1; is_good && i < (uint32_t)*capture->next_class && i < capture->class_capacity; i++)
        if (capture->classes[i].is_known) inherit(capture, &capture->classes[i]);
    jvm_sort_locals(capture);
    return is_good && make_pending(capture) && !capture->output.is_out_of_memory;
}
