// Carries the precompiled header that the test programs share.
int main() {
  return 0;
}
