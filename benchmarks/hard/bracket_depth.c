/* how deep brackets are nested, -1 where they do not match */
int bracket_depth(const char *text) {
    int depth = 0, deepest = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '(') {
            depth++;
            if (depth > deepest)
                deepest = depth;
        } else if (*p == ')') {
            if (depth == 0)
                return -1;
            depth--;
        }
    }
    return depth == 0 ? deepest : -1;
}
