#ifndef REEL_IR_HASH_MAP_H_
#define REEL_IR_HASH_MAP_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"

// Hash tables that are whole after an allocation has failed. Abseil's are not: they count a slot as full before what
// belongs there is made, and grow before they have the memory.

namespace reel {

/// Seeded anew in each process. Strings are looked up by what converts to std::string_view.
struct DefaultHash {
  template <typename T>
  size_t operator()(const T& key) const {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = key;
      return absl::Hash<std::string_view>()(text);
    } else {
      return absl::Hash<T>()(key);
    }
  }
};

/// Entries in the order of insertion (until one is erased: the last takes its place), found by an index of their
/// hashes; a few are found by a look at each. An insertion that throws leaves the table as it was. Insertions and
/// erasures invalidate iterators and references, as with std::vector.
template <typename Entry, typename KeyOf, typename Hash>
class HashTable {
 public:
  using value_type = Entry;
  using key_type = std::remove_cvref_t<decltype(KeyOf::Get(std::declval<const Entry&>()))>;
  using iterator = typename std::vector<Entry>::iterator;
  using const_iterator = typename std::vector<Entry>::const_iterator;
  static_assert(std::is_nothrow_move_constructible_v<Entry>, "an entry that throws when it moves is lost");

  HashTable() = default;
  HashTable(const HashTable&) = default;
  HashTable(HashTable&& other) noexcept { swap(other); }
  HashTable& operator=(HashTable other) noexcept {
    swap(other);
    return *this;
  }
  void swap(HashTable& other) noexcept {
    entries_.swap(other.entries_);
    index_.swap(other.index_);
  }

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }

  template <typename Q = key_type>
  iterator find(const Q& key) {
    return entries_.begin() + static_cast<ptrdiff_t>(Find(key));
  }
  template <typename Q = key_type>
  const_iterator find(const Q& key) const {
    return entries_.begin() + static_cast<ptrdiff_t>(Find(key));
  }
  template <typename Q = key_type>
  bool contains(const Q& key) const {
    return Find(key) != entries_.size();
  }

  void clear() {
    entries_.clear();
    index_.clear();
  }
  void reserve(size_t n) {
    if (n > kFew) GrowIndex(n);
    entries_.reserve(n);
  }
  template <typename Q = key_type>
    requires(!std::is_convertible_v<const Q&, const_iterator>)
  size_t erase(const Q& key) {
    const size_t at = Find(key);
    if (at == entries_.size()) return 0;
    EraseAt(at);
    return 1;
  }
  /// The entry that is at its place now.
  iterator erase(const_iterator it) {
    const ptrdiff_t at = it - entries_.cbegin();
    EraseAt(static_cast<size_t>(at));
    return entries_.begin() + at;
  }

 protected:
  /// The entry with the key, and whether `make`, which returns an Entry, was called for it.
  template <typename Q, typename Make>
  std::pair<iterator, bool> InsertWith(const Q& key, const Make& make) {
    size_t at = Find(key);
    const bool added = at == entries_.size();
    if (added) {
      if (!index_.empty() || at >= kFew) GrowIndex(at + 1);
      const uint32_t hash = index_.empty() ? 0 : HashOf(key);  // `make` may take the key away
      entries_.push_back(make());
      if (!index_.empty()) Put(&index_, {static_cast<uint32_t>(at + 1), hash});
    }
    return {entries_.begin() + static_cast<ptrdiff_t>(at), added};
  }

 private:
  static constexpr size_t kFew = 8;  // as many need no index

  /// Of a place of the index: number of the entry + 1, 0 if there is none.
  struct Slot {
    uint32_t number = 0, hash = 0;
  };
  using Index = std::vector<Slot>;  // a power of two, at most half full; linear probing

  template <typename Q>
  static uint32_t HashOf(const Q& key) {
    const uint64_t hash = Hash()(key);
    return static_cast<uint32_t>(hash ^ hash >> 32);
  }

  template <typename Q>
  size_t Find(const Q& key) const {
    if (index_.empty()) {
      for (size_t i = 0; i < entries_.size(); ++i) {
        if (KeyOf::Get(entries_[i]) == key) return i;
      }
      return entries_.size();
    }
    const uint32_t hash = HashOf(key);
    for (size_t i = hash & Mask(index_);; i = (i + 1) & Mask(index_)) {
      const Slot slot = index_[i];
      if (slot.number == 0) return entries_.size();
      if (slot.hash == hash && KeyOf::Get(entries_[slot.number - 1]) == key) return slot.number - 1;
    }
  }

  static size_t Mask(const Index& index) { return index.size() - 1; }
  static void Put(Index* index, Slot slot) {
    size_t i = slot.hash & Mask(*index);
    while ((*index)[i].number != 0) i = (i + 1) & Mask(*index);
    (*index)[i] = slot;
  }

  /// An index for n entries.
  void GrowIndex(size_t n) {
    if (n * 2 <= index_.size()) return;
    if (n > UINT32_MAX / 4) throw std::length_error("a hash table of more than 2^30 entries");
    size_t places = 4 * kFew;
    while (places < n * 2) places *= 2;
    Index grown(places);
    if (index_.empty()) {
      for (uint32_t i = 0; i < entries_.size(); ++i) Put(&grown, {i + 1, HashOf(KeyOf::Get(entries_[i]))});
    }
    for (const Slot slot : index_) {
      if (slot.number != 0) Put(&grown, slot);
    }
    index_.swap(grown);
  }

  size_t PlaceOf(size_t entry) const {
    size_t i = HashOf(KeyOf::Get(entries_[entry])) & Mask(index_);
    while (index_[i].number != entry + 1) i = (i + 1) & Mask(index_);
    return i;
  }
  void EraseAt(size_t entry) {
    const size_t last = entries_.size() - 1;
    if (!index_.empty()) {
      const size_t place = PlaceOf(entry);
      index_[PlaceOf(last)].number = static_cast<uint32_t>(entry + 1);  // where the last goes
      Free(place);
    }
    // Dies when the table is whole: it may look at it.
    [[maybe_unused]] const Entry erased = std::move(entries_[entry]);
    if (entry != last) {
      std::destroy_at(&entries_[entry]);
      std::construct_at(&entries_[entry], std::move(entries_[last]));
    }
    entries_.pop_back();
  }
  /// Empties a place; those behind it that it had sent on move up.
  void Free(size_t place) {
    const size_t mask = Mask(index_);
    for (size_t i = (place + 1) & mask; index_[i].number != 0; i = (i + 1) & mask) {
      if (((i - index_[i].hash) & mask) < ((i - place) & mask)) continue;
      index_[place] = index_[i];
      place = i;
    }
    index_[place] = {};
  }

  std::vector<Entry> entries_;
  Index index_;
};

template <typename K>
struct KeyOfSet {
  static const K& Get(const K& entry) { return entry; }
};
template <typename K, typename V>
struct KeyOfMap {
  static const K& Get(const std::pair<K, V>& entry) { return entry.first; }
};

/// A set; `Hash` and == are called with whatever is looked up.
template <typename K, typename Hash = DefaultHash>
class HashSet : public HashTable<K, KeyOfSet<K>, Hash> {
  using Table = HashTable<K, KeyOfSet<K>, Hash>;

 public:
  using typename Table::iterator;
  HashSet() = default;
  HashSet(std::initializer_list<K> keys) { insert(keys.begin(), keys.end()); }
  template <typename It>
  HashSet(It first, It last) {
    insert(first, last);
  }

  template <typename Q = K>
  std::pair<iterator, bool> insert(Q&& key) {
    return this->InsertWith(key, [&] { return K(std::forward<Q>(key)); });
  }
  template <typename It>
  void insert(It first, It last) {
    for (; first != last; ++first) insert(*first);
  }
};

/// A map. Its entries are pairs whose keys stay as they are.
template <typename K, typename V, typename Hash = DefaultHash>
class HashMap : public HashTable<std::pair<K, V>, KeyOfMap<K, V>, Hash> {
  using Table = HashTable<std::pair<K, V>, KeyOfMap<K, V>, Hash>;

 public:
  using typename Table::iterator;
  using mapped_type = V;
  HashMap() = default;
  HashMap(std::initializer_list<std::pair<K, V>> entries) {
    for (const auto& [key, value] : entries) try_emplace(key, value);
  }

  /// Makes the value of `args` if there is none; then alone they are taken.
  template <typename Q = K, typename... Args>
  std::pair<iterator, bool> try_emplace(Q&& key, Args&&... args) {
    return this->InsertWith(key,
                            [&] { return std::pair<K, V>(K(std::forward<Q>(key)), V(std::forward<Args>(args)...)); });
  }
  template <typename Q = K, typename... Args>
  std::pair<iterator, bool> emplace(Q&& key, Args&&... args) {
    return try_emplace(std::forward<Q>(key), std::forward<Args>(args)...);
  }
  template <typename Q = K>
  V& operator[](Q&& key) {
    return try_emplace(std::forward<Q>(key)).first->second;
  }
  /// Throws std::out_of_range.
  template <typename Q = K>
  V& at(const Q& key) {
    return const_cast<V&>(std::as_const(*this).at(key));
  }
  template <typename Q = K>
  const V& at(const Q& key) const {
    const auto it = this->find(key);
    if (it == this->end()) throw std::out_of_range("a hash map does not have the key");
    return it->second;
  }
};

}  // namespace reel

#endif  // REEL_IR_HASH_MAP_H_
